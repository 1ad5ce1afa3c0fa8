import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { toPackSchema } from '../contracts/src/pack-files.ts'
import { type Setting, takesFile } from '../server/src/config/setting.ts'
import { envExample, settingsBySubject } from '../server/src/config/settings.ts'
import { defaultTiers } from '../server/src/config/tiers.ts'
import { openApiDocument } from '../server/src/http/reference/openapi.ts'
import { cliPage } from './cli-page.ts'

// The files that are made from the code. `node docs/generate.ts` writes them; a check fails when one of them is stale.

const root = new URL('../', import.meta.url)
const serverUrl = 'http://127.0.0.1:4100'

/** The default of a setting as it would be written in the environment. */
const formatDefault = ({ schema }: Setting): string => {
  const value: unknown = schema.parse(undefined)
  if (typeof value === 'boolean' && !schema.safeParse(String(value)).success) return value ? '`on`' : '`off`'
  const isList = Array.isArray(value)
  const parts = !isList && typeof value === 'object' && value !== null ? Object.values(value).join('/') : undefined
  const text = parts ?? (isList ? value.join(',') : String(value ?? ''))
  return text === '' ? '' : `\`${text}\``
}

const settingRow = ([name, setting]: [string, Setting]): string => {
  const shown = takesFile(setting) ? `\`${name}\`<br>or \`${name}_FILE\`` : `\`${name}\``
  return `| ${shown} | ${formatDefault(setting)} | ${setting.about} |`
}

const tierTable = (): string[] => {
  const tiers = Object.entries(defaultTiers)
  const limits = [...new Set(tiers.flatMap(([, tier]) => Object.keys(tier)))]
  const cell = (value: unknown): string => `\`${JSON.stringify(value).replaceAll(/([:,])/g, '$1 ')}\``
  const row = (limit: string) => tiers.map(([, tier]) => (limit in tier ? cell(tier[limit as keyof typeof tier]) : ''))
  return [
    'The defaults of `NOEMA_TIERS`; the tier `staff` has no limits:',
    '',
    `| Limit | ${tiers.map(([name]) => `\`${name}\``).join(' | ')} |`,
    `| --- |${' --- |'.repeat(tiers.length)}`,
    ...limits.map((limit) => `| \`${limit}\` | ${row(limit).join(' | ')} |`),
    '',
    'Version 0.1.0 had one setting for each of these limits, such as `NOEMA_FREE_BRAINS`. They still work in this release; the log',
    'and `noema doctor` say what to write instead.',
    '',
  ]
}

const settingTables = (): string[] =>
  Object.entries(settingsBySubject).flatMap(([subject, settings]) => [
    ...[`## ${subject}`, '', '| Setting | Default | What it does |', '| --- | --- | --- |'],
    ...[...Object.entries(settings).map(settingRow), ''],
    ...('NOEMA_TIERS' in settings ? tierTable() : []),
  ])

/** The text of docs/settings.md. */
const settingsPage = (): string =>
  [
    '# Settings',
    '',
    'Noema is configured by environment variables. All of them are optional. If a value is invalid, the service does not',
    'start and prints one line that names the setting. An unknown `NOEMA_` name is ignored with a warning in the log.',
    '',
    'If the table shows `NAME_FILE`, the value can also be in a file: set `NAME_FILE` to its path.',
    '',
    ...settingTables(),
    '## The command line and the SDK',
    '',
    'The CLI and the SDK read two more: `NOEMA_BASE_URL` (where the service is, `http://127.0.0.1:4100` when unset) and',
    '`NOEMA_API_KEY`. The CLI also reads `NOEMA_PROFILE`, `NOEMA_BRAIN` and `NOEMA_CONFIG_DIR`: see [the command line](cli.md).',
    '',
    'This page and [.env.example](../.env.example) are generated from `server/src/config/` by `npx node docs/generate.ts`.',
    '',
  ].join('\n')

/** Lays a text out as every file of the project is laid out. */
const formatted = (path: string, text: string): string =>
  execFileSync('node_modules/.bin/biome', ['format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })

/** Every generated file: its path in the project, and its content. */
export const generatedFiles = (): Record<string, string> => {
  const document = JSON.stringify(openApiDocument(serverUrl), undefined, 2)
  return {
    '.env.example': envExample(),
    'docs/settings.md': formatted('docs/settings.md', settingsPage()),
    'docs/cli.md': formatted('docs/cli.md', cliPage()),
    'docs/openapi.json': formatted('docs/openapi.json', document),
    'docs/pack.schema.json': formatted('docs/pack.schema.json', JSON.stringify(toPackSchema(), undefined, 2)),
  }
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(generatedFiles())) writeFileSync(new URL(path, root), text)
}
