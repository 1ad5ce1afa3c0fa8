/** A number with its thousands apart, up to three decimals: `1,200`. `toLocaleString` would load the browser's data first: 80 ms. */
export const toAmount = (amount: number): string => {
  const [whole = '', decimals] = String(Math.round(amount * 1_000) / 1_000).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return decimals === undefined ? grouped : `${grouped}.${decimals}`
}

/** An amount, or a word for none. */
export const toAmountOr = (amount: number | null | undefined, none: string): string =>
  amount === null || amount === undefined ? none : toAmount(amount)

/** A number with its noun: `1 item`, `1,200 items`. */
export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${toAmount(count)} ${count === 1 ? noun : many}`
