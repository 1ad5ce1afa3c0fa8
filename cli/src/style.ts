import { styleText } from 'node:util'
import type { Output } from './output.ts'

type Format = Parameters<typeof styleText>[0]
type Environment = Readonly<Record<string, string | undefined>>

/** Styles a text that is `printable` already. */
export type Style = (format: Format, text: string) => string

/** Styles for a terminal whose user did not ask for plain text (https://no-color.org); elsewhere the text as it is. */
export const createStyle = (output: Output, env: Environment): Style => {
  const isPlain = output.isTTY !== true || Boolean(env.NO_COLOR) || env.TERM === 'dumb'
  const isStyled = !isPlain || (Boolean(env.FORCE_COLOR) && env.FORCE_COLOR !== '0' && !env.NO_COLOR)
  return (format, text) => (isStyled ? styleText(format, text, { validateStream: false }) : text)
}
