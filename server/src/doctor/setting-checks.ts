import { findDeprecated, findLoopback, unknownSettings } from '../config/config.ts'
import { settings } from '../config/settings.ts'
import { type Finding, failed, isOk, type Subject, warns } from './finding.ts'

const isLocal = (host: string): boolean =>
  ['localhost', '127.0.0.1', '::1', '[::1]'].includes(host) || host.endsWith('.localhost')

const checkNames = (env: Subject['env']): Finding[] => {
  const unknown = unknownSettings(env)
  const deprecated = findDeprecated(env)
  const findings = [
    ...(unknown.length > 0
      ? [
          warns(
            'Settings',
            `Unknown and ignored: ${unknown.join(', ')}.`,
            'Correct the names; docs/settings.md lists them.',
          ),
        ]
      : []),
    ...(deprecated
      ? [warns('Settings', `Deprecated: ${deprecated.names.join(', ')}.`, `Set ${deprecated.instead} instead.`)]
      : []),
  ]
  return findings.length > 0 ? findings : [isOk('Settings', 'All settings are valid.')]
}

/** Checks the public address of the service and the proxies in front of it. */
const checkAddress = ({ config }: Subject): Finding[] => {
  const { publicUrl, host, trustedProxies } = config
  if (publicUrl === undefined) {
    if (isLocal(host)) return [isOk('Address', 'Only this machine reaches the service.')]
    return [
      warns(
        'Address',
        `The service listens on ${host}, and NOEMA_PUBLIC_URL is unset.`,
        'Set NOEMA_PUBLIC_URL: links in emails and cookies depend on it.',
      ),
    ]
  }
  const { protocol, hostname } = new URL(publicUrl)
  if (isLocal(hostname)) return [isOk('Address', publicUrl)]
  const secure =
    protocol === 'https:'
      ? isOk('Address', publicUrl)
      : warns(
          'Address',
          `${publicUrl} is not encrypted: others on the network can read keys and sessions.`,
          'Put a proxy with TLS in front of it, and set NOEMA_PUBLIC_URL to its https address.',
        )
  if (trustedProxies.length > 0)
    return [secure, isOk('Proxies', `X-Forwarded-For is trusted from ${trustedProxies.join(', ')}.`)]
  const fix = 'Set NOEMA_TRUSTED_PROXIES to the address of the proxy.'
  return [secure, warns('Proxies', 'No proxy is trusted: behind one, all callers count as one.', fix)]
}

const checkOrigins = ({ config }: Subject): Finding[] => {
  const origins = [...config.trustedOrigins, ...(config.appOrigin === undefined ? [] : [config.appOrigin])]
  const open = origins.filter((origin) => origin.startsWith('http:') && !isLocal(new URL(origin).hostname))
  if (open.length === 0) return []
  return [
    warns(
      'Origins',
      `Not encrypted: ${open.join(', ')}.`,
      'Use their https addresses in NOEMA_APP_ORIGIN and NOEMA_TRUSTED_ORIGINS.',
    ),
  ]
}

const checkLoopback = ({ env }: Subject): Finding[] =>
  findLoopback(env).map((entry) =>
    warns(
      'Outbound calls',
      `${entry} lets every organization call a port of this machine.`,
      'Move the called service to another host, or make sure that it takes no unauthenticated requests.',
    ),
  )

const minDistinct = 12

const isWeak = (secret: string, example: string): boolean => secret === example || new Set(secret).size < minDistinct

const checkSecret = ({ config, env }: Subject): Finding[] => {
  const fix = 'Set it to the output of: openssl rand -base64 48'
  const metrics = env.NOEMA_METRICS_TOKEN
  const weak = [
    ...(config.secret !== undefined && isWeak(config.secret, settings.NOEMA_SECRET.example) ? ['NOEMA_SECRET'] : []),
    ...(metrics && isWeak(metrics, settings.NOEMA_METRICS_TOKEN.example) ? ['NOEMA_METRICS_TOKEN'] : []),
  ]
  const guessable = weak.map((name) => failed('Secrets', `${name} is easy to guess.`, fix))
  if (config.databaseUrl !== undefined && config.secret === undefined)
    return [
      ...guessable,
      warns('Secrets', 'NOEMA_SECRET is unset: a second node could not read the data of the first.', fix),
    ]
  const password = config.bootstrap?.password
  const short =
    password !== undefined && (password.length < 12 || password === settings.NOEMA_BOOTSTRAP_PASSWORD.example)
  const bootstrap = short
    ? [
        warns(
          'Secrets',
          'NOEMA_BOOTSTRAP_PASSWORD is short or an example.',
          'Use 12 characters or more, and change it after the first sign-in.',
        ),
      ]
    : []
  const found = [...guessable, ...bootstrap]
  return found.length > 0 ? found : [isOk('Secrets', 'No secret is easy to guess.')]
}

/** Checks the settings by themselves: names, addresses, proxies, origins, secrets. */
export const checkSettings = (subject: Subject): Finding[] => [
  ...checkNames(subject.env),
  ...checkAddress(subject),
  ...checkOrigins(subject),
  ...checkLoopback(subject),
  ...checkSecret(subject),
]
