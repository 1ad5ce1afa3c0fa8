import type { Call } from './callers.ts'

// A Brain with realistic content, written through the API: four kinds with a schema, two hundred linked records, documents with
// versions, statements that cite them, and reads that left receipts.

type Body = Record<string, unknown>

const field = (name: string, type: string, more: Body = {}) => ({ name, type, ...more })

const kinds = [
  {
    kind: 'team',
    title: 'Team',
    description: 'People who work on one thing together.',
    fields: [field('name', 'string', { required: true }), field('mission', 'text')],
  },
  {
    kind: 'person',
    title: 'Person',
    fields: [
      field('name', 'string', { required: true, indexed: true }),
      field('role', 'string', { indexed: true }),
      field('level', 'integer', { indexed: true }),
      field('joined', 'date', { indexed: true }),
      field('about', 'text'),
    ],
    links: [
      { predicate: 'memberOf', to: ['team'], many: false },
      { predicate: 'reportsTo', to: ['person'] },
    ],
  },
  {
    kind: 'project',
    title: 'Project',
    fields: [
      field('title', 'string', { required: true }),
      field('status', 'enum', { values: ['planned', 'running', 'done'], indexed: true }),
      field('due', 'date', { indexed: true, notifyBefore: ['P7D', 'P0D'] }),
      field('budget', 'number'),
      field('settings', 'json'),
    ],
    links: [
      { predicate: 'ledBy', to: ['person'] },
      { predicate: 'ownedBy', to: ['team'] },
    ],
  },
  {
    kind: 'ticket',
    title: 'Ticket',
    fields: [
      field('title', 'string', { required: true }),
      field('open', 'boolean', { indexed: true }),
      field('body', 'text'),
    ],
    links: [
      { predicate: 'about', to: ['project'] },
      { predicate: 'raisedBy', to: ['person'] },
    ],
  },
]

const first = ['Ada', 'Bo', 'Chen', 'Dara', 'Eli', 'Fatou', 'Goran', 'Hana', 'Ines', 'Jun', 'Kofi', 'Lena']
const last = ['Okafor', 'Lindqvist', 'Wei', 'Martins', 'Novak', 'Haddad', 'Moreau', 'Silva']
const roles = ['Data engineer', 'Designer', 'Product manager', 'Support lead', 'Researcher']
const subjects = ['Import fails on', 'Slow search in', 'Wrong date in', 'Missing reminder for', 'Export of']

const put = (kind: string, id: string, fields: Body, links: Body[] = []) => ({
  ...{ op: 'record.put', kind, id, fields, links },
  ...(kind !== 'ticket' && { slug: id }),
})
const link = (predicate: string, to: string) => ({ predicate, to })
const range = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index))
const day = (index: number) =>
  `20${19 + (index % 6)}-${String(1 + (index % 12)).padStart(2, '0')}-${String(1 + (index % 27)).padStart(2, '0')}`

const records = () => [
  ...range(6, (index) =>
    put('team', `team-${index}`, { name: `Team ${'ABCDEF'[index]}`, mission: 'Keeps what customers rely on running.' }),
  ),
  ...range(48, (index) =>
    put(
      'person',
      `person-${index}`,
      {
        ...{ name: `${first[index % 12]} ${last[index % 8]}`, role: roles[index % 5], level: 1 + (index % 7) },
        ...{
          joined: day(index),
          about: 'Writes down what was decided and why.',
          ...(index % 9 === 0 && { nickname: first[index % 12] }),
        },
      },
      [link('memberOf', `team-${index % 6}`), ...(index > 5 ? [link('reportsTo', `person-${index % 6}`)] : [])],
    ),
  ),
  ...range(24, (index) =>
    put(
      'project',
      `project-${index}`,
      {
        ...{
          title: `Project ${index + 1}`,
          status: ['planned', 'running', 'done'][index % 3],
          due: `2030-${String(1 + (index % 12)).padStart(2, '0')}-15`,
        },
        ...{ budget: 1000 * (index + 1), settings: { region: 'eu', tags: ['internal', `wave-${index % 4}`] } },
      },
      [link('ledBy', `person-${index % 12}`), link('ownedBy', `team-${index % 6}`)],
    ),
  ),
  ...range(122, (index) =>
    put(
      'ticket',
      `ticket-${String(index).padStart(3, '0')}`,
      {
        title: `${subjects[index % 5]} project ${(index % 24) + 1}`,
        open: index % 3 !== 0,
        body: 'Seen twice this week by customers.',
      },
      // Most tickets are about one project, which is a hub.
      [link('about', index < 80 ? 'project-0' : `project-${index % 24}`), link('raisedBy', `person-${index % 48}`)],
    ),
  ),
]

const handbook = `# On call

Whoever is on call answers within fifteen minutes. The rota changes every Monday at nine.

## Handing over

Write down what is open, and tell the next person where you stopped.`

const documents = [
  {
    id: 'handbook/on-call.md',
    title: 'On call',
    text: handbook,
    contentType: 'text/markdown',
    source: { name: 'handbook' },
  },
  {
    ...{ id: 'handbook/releases.md', title: 'Releases', contentType: 'text/markdown', source: { name: 'handbook' } },
    text: '# Releases\n\nWe release on Tuesdays. A release is announced a day before, and never on a Friday.',
  },
  ...range(10, (index) => ({
    ...{
      id: `notes/week-${index + 1}`,
      title: `Weekly notes ${index + 1}`,
      contentType: 'text/plain',
      source: { name: 'meetings' },
    },
    text: `Notes of week ${index + 1}. Project ${index + 1} is on track. ${first[index]} leads it and reports on Thursday.`,
  })),
]

const statements = [
  ...range(12, (index) => ({
    op: 'statement.assert',
    subject: { id: `project-${index}`, kind: 'project' },
    predicate: 'dependsOn',
    object: { record: { id: `project-${(index + 5) % 24}`, kind: 'project' } },
    confidence: 0.5 + (index % 5) / 10,
    sources: [{ document: `notes/week-${(index % 10) + 1}`, quote: `Project ${(index % 10) + 1} is on track.` }],
  })),
  ...range(6, (index) => ({
    op: 'statement.assert',
    subject: { id: `person-${index}`, kind: 'person' },
    predicate: 'speaks',
    object: { value: ['French', 'German', 'Polish'][index % 3] },
    validFrom: '2024-01-01T00:00:00.000Z',
    provenance: { source: 'a survey', trust: 'unverified' },
  })),
]

/** Declares the kinds and writes everything, some of it twice for a history. */
export const writeKnowledge = async (call: Call): Promise<void> => {
  const proposed = await call('POST', '/schema/evolve', {
    baseVersion: 0,
    reason: 'The kinds of the example',
    operations: kinds.map((kind) => ({ op: 'addKind', ...kind })),
  })
  await call('POST', `/changes/${proposed.change.id}/decide`, { decision: 'approved' })
  await call('POST', '/batch', { operations: records() })
  await call('POST', '/batch', {
    operations: [...documents.map((document) => ({ op: 'document.put', ...document })), ...statements],
  })
  await call('PATCH', '/records/person-0', { fields: { role: 'Head of data', level: 7, nickname: null } })
  await call('PATCH', '/records/person-0', { fields: { about: 'Writes down what was decided, why, and by whom.' } })
  await call('POST', '/documents', {
    ...documents[0],
    text: handbook.replace('fifteen', 'ten').replace('Monday', 'Tuesday'),
  })
  await call('GET', '/search?q=who%20is%20on%20call&consumerId=support-agent')
  await call('GET', '/search?q=releases&consumerId=support-agent')
  await call('POST', '/context', { query: 'who leads project 1', consumerId: 'planner' })
  await call('POST', '/query', { kind: 'person', where: { slug: 'person-0' }, consumerId: 'planner' })
}
