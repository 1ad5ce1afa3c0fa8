import type { exportBundle } from '@noema/contracts/bundles.ts'
import type { QueryOutput } from '@noema/contracts/endpoint.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { BrainReads } from '../../kernel/replica-reads/replica-reads.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'
import type { TransferLimits } from '../transfers/transfer-limits.ts'
import { streamTransfer, type Transferer } from '../transfers/transfers.ts'
import { readBundlePieces } from './export-bundle.ts'

// Bundles: a part of a Brain as Markdown with frontmatter, in the Open Knowledge Format, out and in.

type Deps = {
  clock: Clock
  log: Log
  brainReads: BrainReads
  isDivided: boolean
  open: OpenShares
  limits: { transfers: TransferLimits }
}

/** Exports a part of a Brain as it is when reading begins: a gzipped tar in pieces of any size. */
export const exportBundlePieces = (
  deps: Deps,
  brain: BrainRow,
  { kinds, sources, asOf, ...transferer }: QueryOutput<typeof exportBundle> & Transferer,
): AsyncGenerator<Buffer> => streamTransfer(deps, transferer, readBundlePieces(deps, brain, { kinds, sources, asOf }))
