type ProgressProps = { label: string; value?: number; max?: number; isLabelHidden?: boolean }

/** The progress of a task. Without a value, it shows only that the task is running. */
export const Progress = ({ label, value, max = 1, isLabelHidden = false }: ProgressProps) => (
  <label className="progress">
    <span className={isLabelHidden ? 'off-screen' : undefined}>{label}</span>
    <progress max={max} value={value} />
  </label>
)
