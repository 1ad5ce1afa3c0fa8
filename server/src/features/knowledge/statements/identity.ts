import { createHash } from 'node:crypto'
import type { Statement } from '@noema/contracts/statements.ts'
import { canonicalJson } from '../../../shared/text/json.ts'

type Said = Pick<Statement, 'subject' | 'predicate' | 'object'> & { validFrom?: string | null | undefined }

/** The identity of a statement (D-32): subject, predicate, object and the start of its validity. */
export const toIdentity = ({ subject, predicate, object, validFrom }: Said): string =>
  createHash('sha256')
    .update(canonicalJson([subject.id, predicate, object, validFrom ?? null]))
    .digest('hex')
