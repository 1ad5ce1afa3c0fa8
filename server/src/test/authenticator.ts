import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { publicUrl } from './app.ts'

// A device with one passkey, as browsers speak for it (WebAuthn, level 3), so that tests can also have one that misbehaves.

const isPresent = 0x01
const isVerified = 0x04
const hasKey = 0x40

type Options = { origin?: string; domain?: string; asksNoOne?: boolean; counter?: number }

const toBytes = (text: string): Buffer => Buffer.from(text, 'base64url')

export const createAuthenticator = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  const key = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    toBytes(x),
    Buffer.from('225820', 'hex'),
    toBytes(y),
  ])
  const toData = (flags: number, { domain = new URL(publicUrl).hostname, asksNoOne = false, counter = 0 }: Options) => {
    const head = Buffer.alloc(5)
    head.writeUInt8(flags | isPresent | (asksNoOne ? 0 : isVerified))
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([createHash('sha256').update(domain).digest(), head])
  }
  const toClientData = (type: string, challenge: string, { origin = publicUrl }: Options) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const toResponse = (response: Record<string, string | string[]>) => ({
    ...{ id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' },
    ...{ clientExtensionResults: {}, response },
  })
  return {
    id: id.toString('base64url'),
    /** Answers the challenge of a registration. */
    register: ({ challenge }: { challenge: string }, options: Options = {}) => {
      const data = Buffer.concat([toData(hasKey, options), Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.from([data.length]),
        data,
      ])
      return toResponse({
        clientDataJSON: toClientData('webauthn.create', challenge, options).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },
    /** Answers the challenge of a sign-in. */
    assert: ({ challenge }: { challenge: string }, options: Options = {}) => {
      const clientData = toClientData('webauthn.get', challenge, options)
      const data = toData(0, options)
      const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
      return toResponse({
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      })
    },
  }
}
