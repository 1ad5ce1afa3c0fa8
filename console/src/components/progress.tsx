type ProgressProps = { label: string; value?: number; max?: number; isLabelHidden?: boolean }

/** How far something is. Without a value it says only that it goes on. */
export const Progress = ({ label, value, max = 1, isLabelHidden = false }: ProgressProps) => (
  <label className="progress">
    <span className={isLabelHidden ? 'off-screen' : undefined}>{label}</span>
    <progress max={max} value={value} />
  </label>
)
