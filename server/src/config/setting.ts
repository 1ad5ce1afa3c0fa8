import { z } from 'zod'
import { parseAllowed } from '../shared/outbound/targets.ts'

// The parts that settings of every subject are made of.

/** One setting: its schema, and its description in the docs and `.env.example`. */
export type Setting = {
  schema: z.ZodType
  about: string
  example: string
  /** True if the value must stay secret. */
  secret?: true
  /** True if `NAME_FILE` may give the path of a file with the value. Every secret may be in a file. */
  file?: true
}

export type Settings = Readonly<Record<string, Setting>>

export const takesFile = (setting: Setting): boolean => setting.secret === true || setting.file === true

/** The values of settings after reading, by name. */
export type ValuesOf<S extends Settings> = { readonly [Name in keyof S]: z.output<S[Name]['schema']> }

/** A setting that the service cannot start with, explained in one line. */
export class BadSetting extends Error {}

export const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'a whole number').transform(Number).pipe(z.number().min(min).max(max))

export const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

/** Hosts, addresses and networks that may be called although they are private, each on one port. */
export const allowedHosts = commaList
  .pipe(
    z.array(
      z.string().transform((text, context) => {
        const allowed = parseAllowed(text)
        if (allowed === undefined)
          context.addIssue('hosts, addresses or networks, each with its port, such as ollama.internal:11434')
        return allowed ?? z.NEVER
      }),
    ),
  )
  .default([])

export const trueOrFalse = (initial: 'true' | 'false') =>
  z
    .enum(['true', 'false'], { error: 'true or false' })
    .default(initial)
    .transform((text) => text === 'true')

export const httpUrl = z.url({ protocol: /^https?$/, error: 'an http or https address' })

/** The maximum for a node, one organization and one key: `1000/100/50`. */
export const shares = (initial: string) =>
  z
    .string()
    .regex(
      /^\d{1,9}\/\d{1,9}\/\d{1,9}$/,
      'three whole numbers, for a node, an organization and a key, such as 1000/100/50',
    )
    .default(initial)
    .transform((text) => {
      const [node = 0, organization = 0, key = 0] = text.split('/').map(Number)
      return { node, organization, key }
    })

/** The maximum for a node, and for each network that calls it: `400/200`. */
export const twoShares = (initial: string, part: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,5}\/[1-9]\d{0,5}$/, `two whole numbers, for a node and ${part}, such as ${initial}`)
    .default(initial)
    .transform((text) => {
      const [node = 1, share = 1] = text.split('/').map(Number)
      return { node, share }
    })

/** The same as `shares` for calls to other hosts: the third number is for one host. */
export const callShares = (initial: string) =>
  shares(initial).transform(({ node, organization, key: host }) => ({ node, organization, host }))

export const jsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = (error as Error).message.replaceAll(/\s+/g, ' ')
    context.addIssue({ code: 'custom', message: `not JSON (${reason})` })
    return z.NEVER
  }
})

/** An object of JSON with these keys alone. */
export const strictObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `no key ${issue.keys.join(', ')}, only ${Object.keys(shape).join(', ')}`
        : 'a JSON object',
  })

/** Requests a second in the long run, and at once. */
export type Rate = { perSecond: number; burst: number }

export const rate = z
  .string()
  .regex(/^[1-9]\d{0,8}\/[1-9]\d{0,8}$/, 'requests a second and at once, two whole numbers such as 100/1000')
  .transform((text): Rate => {
    const [perSecond = 1, burst = 1] = text.split('/').map(Number)
    return { perSecond, burst }
  })
