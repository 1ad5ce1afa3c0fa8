const paths = {
  activity: 'M2 8.5h3l2-5 2.5 9 1.8-4H14',
  admin: 'M8 2l5 2v4c0 3-2.2 5-5 6-2.8-1-5-3-5-6V4z',
  agent: 'M4 6h8v6H4zM8 3.5V6M6.5 8.5v1M9.5 8.5v1M2.5 8v2M13.5 8v2',
  automation: 'M9 2L4 9h3.5L7 14l5-7H8.5z',
  back: 'M10 4L6 8l4 4',
  bell: 'M4.5 11V7a3.5 3.5 0 0 1 7 0v4l1 1h-9zM7 14h2',
  brain:
    'M3 4.2C3 3 5.2 2.2 8 2.2s5 .8 5 2-2.2 2-5 2-5-.8-5-2zM3 4.2v7.6c0 1.2 2.2 2 5 2s5-.8 5-2V4.2M3 8c0 1.2 2.2 2 5 2s5-.8 5-2',
  check: 'M3.5 8.5l3 3 6-7',
  chevron: 'M6 4l4 4-4 4',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2 1.3',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-2h7v7h-2M3.5 5.5h7v7h-7z',
  document: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 8.5h4M6 11h4',
  down: 'M4 6l4 4 4-4',
  download: 'M8 3v7m-3-3l3 3 3-3M3.5 13h9',
  edit: 'M3 13l.6-2.8 7-7 2.2 2.2-7 7z',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  flag: 'M4 14V2.8h7.5L10 5.5l1.5 2.7H4',
  graph:
    'M4 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM12 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM6 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5.4 4.5l5.2 1.6M4.4 5.4l1.2 5.2M10.9 7.5l-3.9 3.7',
  home: 'M2.5 8L8 3l5.5 5M4 7v6h8V7',
  info: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 7.5V11M8 5v.4',
  key: 'M5.5 7.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM7.3 8.7L12.5 3.5M10.5 5.5l1.5 1.5',
  link: 'M7 9l2-2M6 7L4.5 8.5a2.1 2.1 0 0 0 3 3L9 10M7 6l1.5-1.5a2.1 2.1 0 0 1 3 3L10 9',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  moon: 'M12.5 9.6A5 5 0 1 1 6.4 3.5a4 4 0 0 0 6.1 6.1z',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  pause: 'M5.5 4v8M10.5 4v8',
  play: 'M5.5 3.8v8.4l6.5-4.2z',
  plus: 'M8 3.5v9M3.5 8h9',
  record: 'M3 3.5h10v9H3zM3 6.5h10M6.5 6.5v6',
  refresh: 'M12.5 6.5A5 5 0 1 0 13 9M12.8 3v3.5H9.3',
  review: 'M3 3.5h10v9H3zM5.5 8l1.8 1.8L10.8 6',
  search: 'M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 10l3.5 3.5',
  send: 'M2.5 8L13.5 3 10 13.5 7.5 9z',
  settings: 'M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.5v3M6 9.5v3',
  stop: 'M4.5 4.5h7v7h-7z',
  sun: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 2v1M8 13v1M2 8h1M13 8h1M3.8 3.8l.7.7M11.5 11.5l.7.7M12.2 3.8l-.7.7M4.5 11.5l-.7.7',
  system: 'M3 3.5h10v7H3zM6 13h4M8 10.5V13',
  task: 'M3 4.5l1 1 2-2M3 10.5l1 1 2-2M8.5 4.5h5M8.5 10.5h5',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 9h6l.5-9',
  upload: 'M8 10V3m-3 3l3-3 3 3M3.5 13h9',
  user: 'M8 3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM3 13.5c.5-2.5 2.5-4 5-4s4.5 1.5 5 4',
  warning: 'M8 2.8l5.8 10.4H2.2zM8 6.5v3.2M8 11.5v.2',
} as const

export type IconName = keyof typeof paths

/** The names of all icons. */
export const iconNames = Object.keys(paths) as IconName[]

/** A decorative icon next to words, hidden from screen readers. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" data-icon={name} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
