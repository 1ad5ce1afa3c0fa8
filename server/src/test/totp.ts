import { createHmac } from 'node:crypto'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const decodeBase32 = (text: string): Buffer => {
  const bits = [...text].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

const toStepCode = (totpUri: string, step: number): string => {
  const secret = decodeBase32(new URL(totpUri).searchParams.get('secret') ?? '')
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const at = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

const toStep = () => Math.floor(Date.now() / 30_000)

/** The code that an app shows for an address of a secret (RFC 6238). It is taken for 30 seconds and more, as the next one is. */
export const toCode = (totpUri: string): string => toStepCode(totpUri, toStep())

/** Returns the app's next code: another one than `toCode` returned, at any later time. */
export const toNextCode = (totpUri: string): string => toStepCode(totpUri, toStep() + 1)

/** A code that is none of those around now. */
export const toWrongCode = (totpUri: string): string => {
  const right = [-1, 0, 1, 2].map((steps) => toStepCode(totpUri, toStep() + steps))
  return ['000000', '000001', '000002', '000003'].find((code) => !right.includes(code)) ?? '000004'
}
