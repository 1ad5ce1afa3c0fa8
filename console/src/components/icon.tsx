const paths = {
  check: 'M3.5 8.5l3 3 6-7',
  chevron: 'M6 4l4 4-4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-2h7v7h-2M3.5 5.5h7v7h-7z',
  download: 'M8 3v7m-3-3l3 3 3-3M3.5 13h9',
  moon: 'M12.5 9.6A5 5 0 1 1 6.4 3.5a4 4 0 0 0 6.1 6.1z',
  pause: 'M5.5 4v8M10.5 4v8',
  play: 'M5.5 3.8v8.4l6.5-4.2z',
  search: 'M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 10l3.5 3.5',
  sun: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 2v1M8 13v1M2 8h1M13 8h1M3.8 3.8l.7.7M11.5 11.5l.7.7M12.2 3.8l-.7.7M4.5 11.5l-.7.7',
  system: 'M3 3.5h10v7H3zM6 13h4M8 10.5V13',
} as const

/** A line drawing that goes with words: readers of the page by ear do not hear of it. */
export const Icon = ({ name }: { name: keyof typeof paths }) => (
  <svg className="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
