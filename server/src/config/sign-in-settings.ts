import { z } from 'zod'

const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
const yesNo = (usual: 'true' | 'false') =>
  z
    .enum(['true', 'false'], { error: 'true or false' })
    .default(usual)
    .transform((text) => text === 'true')

/** What the operator sets about how people sign in. */
export const signInSettings = {
  NOEMA_PASSWORD_SIGN_IN: {
    schema: yesNo('true'),
    about:
      'Whether people sign in by password, by passkey and with codes of a second factor. With false the OpenID provider alone lets people in.',
    example: 'true',
  },
  NOEMA_OIDC_ISSUER: {
    schema: z.url({ protocol: /^https?$/, error: 'an http or https address' }).optional(),
    about:
      'Issuer of an OpenID Connect provider by which people sign in, exactly as the provider writes it. Its redirect address is /api/auth/callback/oidc of the public URL.',
    example: 'https://login.example.com/realms/company',
  },
  NOEMA_OIDC_CLIENT_ID: {
    schema: z.string().min(1).max(500).optional(),
    about: 'What the provider calls this service.',
    example: 'noema',
  },
  NOEMA_OIDC_CLIENT_SECRET: {
    schema: z.string().min(1).optional(),
    about: 'Secret that the provider gave; none for a public client, which proves itself by PKCE alone.',
    example: 'any-secret-of-the-provider',
    secret: true,
  },
  NOEMA_OIDC_CLIENT_AUTH: {
    schema: z.enum(['basic', 'post']).default('basic'),
    about: 'How the secret is sent to the provider: in the Authorization header, or in the body.',
    example: 'basic',
  },
  NOEMA_OIDC_NAME: {
    schema: z.string().trim().min(1).max(60).default('single sign-on'),
    about: 'What people know the provider by: the button reads “Continue with …”.',
    example: 'Example Company',
  },
  NOEMA_OIDC_SCOPES: {
    schema: commaList
      .pipe(z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'names of scopes')).min(1))
      .default(['openid', 'email', 'profile']),
    about: 'What the provider is asked for, separated by commas: openid and an address at least.',
    example: 'openid,email,profile',
  },
  NOEMA_OIDC_DOMAINS: {
    schema: commaList.pipe(z.array(z.hostname('names of domains').transform((name) => name.toLowerCase()))).default([]),
    about: 'The only domains whose addresses the provider may let in, separated by commas; all when unset.',
    example: 'example.com,example.org',
  },
  NOEMA_OIDC_SIGN_UP: {
    schema: yesNo('true'),
    about: 'Whether the provider lets in people who have no account yet; their account is made then.',
    example: 'true',
  },
  NOEMA_OIDC_TRUST_EMAIL: {
    schema: yesNo('false'),
    about:
      'Whether addresses count as verified though the provider does not say so. Only for one whose administrators choose every address: elsewhere people could take accounts of others.',
    example: 'false',
  },
} as const
