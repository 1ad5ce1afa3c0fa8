/** A number with its noun: `1 item`, `1,200 items`. */
export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : many}`
