import { hkdfSync } from 'node:crypto'
import type { TlsOptions } from 'node:tls'

// Nodes trust each other because they share NOEMA_SECRET: TLS with a key that is derived from it encrypts, and both ends prove that they
// have it. So there are no certificates.

const identity = 'noema node'

/** Options of TLS for both ends: the suites with such a key exist in TLS 1.2. */
export const nodeTls = (secret: string) => {
  const psk = Buffer.from(hkdfSync('sha256', secret, '', 'connections between nodes', 32))
  const shared = {
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.2',
    ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  } as const satisfies TlsOptions
  return {
    server: {
      ...shared,
      pskIdentityHint: '',
      pskCallback: (_socket: unknown, given: string) => (given === identity ? psk : null),
    },
    // The key proves which service it is; a name would prove nothing more.
    client: { ...shared, checkServerIdentity: () => undefined, pskCallback: () => ({ psk, identity }) },
  }
}
