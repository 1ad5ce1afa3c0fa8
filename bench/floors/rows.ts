// The rows that Noema writes for one new record, with values of the same shapes and sizes.

type NewRecord = { kind: string; fields: Record<string, unknown> }

export type RecordRows = {
  id: string
  change: string
  kind: string
  stateVersion: number
  position: number
  /** JSON text, as the columns keep it. */
  record: string
  event: string
  /** The name of the item in its change. */
  item: string
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
let counter = 0

/** As long as Noema's ids and as ordered: 26 digits of base 32 after the prefix. */
const nextId = (prefix: string): string => {
  let text = ''
  for (let rest = ++counter, digit = 0; digit < 16; digit++) {
    text = alphabet.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return `${prefix}_01kaa00000${text}`
}

const keyId = nextId('key')

/** As long as a cursor of a Brain's stream. No signature is computed. */
const makeCursor = (position: number): string =>
  `AAAAAAAAAAAA${Buffer.from(`["events",1,${position}]`).toString('base64url')}`

/** The rows of a record that is created by the change `change`, which makes the Brain's state `stateVersion`. */
export const toRows = (
  { kind, fields }: NewRecord,
  { change, stateVersion, position, at }: { change: string; stateVersion: number; position: number; at: string },
): RecordRows => {
  const id = nextId('rec')
  const provenance = { change, key: keyId }
  const record = {
    id,
    kind,
    slug: null,
    fields,
    links: [],
    version: 1,
    stateVersion,
    provenance,
    createdAt: at,
    updatedAt: at,
  }
  const data = {
    record: { id, kind },
    operation: 'created',
    fields: Object.keys(fields),
    links: [],
    change,
    stateVersion,
  }
  const event = { cursor: makeCursor(position), type: 'record.accepted', occurredAt: at, data }
  const item = { item: '1', op: 'record.create', target: { type: 'record', id, kind }, base: null, made: 1 }
  return {
    id,
    change,
    kind,
    stateVersion,
    position,
    record: JSON.stringify(record),
    event: JSON.stringify(event),
    item: JSON.stringify(item),
  }
}

export const nextChangeId = (): string => nextId('chg')

/** The key that writes, and the user who minted it. */
export const submittedBy = { key: keyId, user: '0'.repeat(32) }

/** The answer that Noema gives to one created record. */
export const toAnswer = ({ change, stateVersion, record }: RecordRows): string =>
  `{"data":{"outcome":"landed","change":{"id":"${change}","decision":"approved","application":"applied"},"stateVersion":${stateVersion},"record":${record}}}`
