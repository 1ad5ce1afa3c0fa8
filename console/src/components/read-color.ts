/** The value that a color token has in the current scheme, for a canvas: the token itself holds a value for each scheme. */
export const readColor = (token: string): string => {
  const probe = document.createElement('span')
  probe.style.color = `var(${token})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
