import type { KeyAuthentication } from '../access/authenticate-key.ts'
import { findCaps } from '../access/limits.ts'
import type { AppDeps } from '../api/app-deps.ts'
import { forgetApps } from '../features/accounts/apps/forget-apps.ts'
import { sumUpRuns } from '../features/agents/activity/activity-days.ts'
import { createFlowWork } from '../features/agents/flows/watch-flows.ts'
import { forgetRuns } from '../features/agents/run-keeping/run-keeping.ts'
import { selectAgentsOfRuns } from '../features/agents/runs/run-queries.ts'
import { selectTraceparent } from '../features/agents/runs/trace-queries.ts'
import type { LeasedRun, RunKey } from '../features/agents/runs/types.ts'
import { createScheduleWork } from '../features/agents/schedules/run-schedules.ts'
import { createTriggerWork } from '../features/agents/triggers/fire-triggers.ts'
import { createAccountErasing } from '../features/deletions/account-deletion/account-deletion.ts'
import { createErasureWork } from '../features/deletions/erasures/erasures.ts'
import { createOrganizationErasing } from '../features/deletions/organization-deletion/erase-organization.ts'
import { createBrainWebhookWork } from '../features/delivery/brain-webhooks/deliver-webhooks.ts'
import {
  createOrganizationWebhookWork,
  forgetDeliveries,
} from '../features/delivery/organization-webhooks/deliver-to-organizations.ts'
import { createExpansionWork } from '../features/delivery/organization-webhooks/expand-outbox.ts'
import { createChangeEvalWork } from '../features/evals/change-evals/run-change-evals.ts'
import { forgetEvalRuns } from '../features/evals/eval-runs/eval-keeping.ts'
import { createEvalWork } from '../features/evals/eval-runs/run-evals.ts'
import { forgetGoals } from '../features/evals/goals/goal-keeping.ts'
import { createGoalWork } from '../features/evals/goals/pursue-goals.ts'
import { eraseDueBodies, eraseLostObjects } from '../features/files/artifacts/erase-bodies.ts'
import { createSourceRefreshing, forgetSites } from '../features/files/web-sources/refresh-sources.ts'
import { createErasing } from '../features/knowledge/erasing/erasing.ts'
import { createPageWork } from '../features/learning/derived-pages/follow-pages.ts'
import { forgetDistillations } from '../features/learning/distillations/distillations.ts'
import { createDistillationWork } from '../features/learning/distillations/run-distillations.ts'
import { forgetNotifications } from '../features/oversight/notifications/notifications.ts'
import { createDailyMail } from '../features/oversight/notifications/send-daily-mail.ts'
import { createMailWork, type MailServer } from '../features/platform/mail/deliver-mail.ts'
import { purgeMail } from '../features/platform/mail/mail.ts'
import type { PassageIndexer } from '../features/retrieval/lexical-index/indexer.ts'
import { boundReceipts, expireReceipts } from '../features/retrieval/receipts/expire-receipts.ts'
import { createEmbedding } from '../features/retrieval/vectors/embed-passages.ts'
import { purgeSpaces } from '../features/retrieval/vectors/purge-spaces.ts'
import type { Vectors } from '../features/retrieval/vectors/vectors.ts'
import { createReminding } from '../features/writing/due-dates/due-dates.ts'
import { createDocumentExpiry, createRecordExpiry } from '../features/writing/expiry/expiry.ts'
import { createReleasedPublishing, createScheduledPublishing } from '../features/writing/review/publish.ts'
import { createIndexBuilding } from '../features/writing/schema-changes/build-indexes.ts'
import { forgetSnapshots } from '../features/writing/snapshots/forget-snapshots.ts'
import type { LeasedWork } from '../shared/concurrency/leased-work.ts'
import { findTrace, parseTraceparent, type TraceContext, toSpanId } from '../shared/tracing/trace-context.ts'
import { createEraseElsewhere } from './erase-elsewhere.ts'
import { createTurns } from './turns.ts'
import type { Worker } from './worker.ts'

/** The runs of agents, which `agent-runtime` works on. */
type RunWork = LeasedWork<LeasedRun, never>

/** The model of a node, and the former ones that answer until it has embedded everything. */
const toModels = ({ embedder, pollSpaces, formers, pace }: Vectors) => ({ embedder, pollSpaces, formers, pace })

/** The span of a run, where its trace is kept. */
const findRunTrace = async ({ keyedDb, tracer }: AppDeps, place: RunKey): Promise<TraceContext | undefined> => {
  const run = await selectTraceparent(keyedDb, place)
  if (!run || !tracer) return undefined
  const isSampled = parseTraceparent(run.traceparent)?.isSampled ?? tracer.isKept(findTrace(run))
  return { traceId: findTrace(run), spanId: toSpanId(run.id), isSampled }
}

const vectorWorkers = (deps: AppDeps, vectors: Vectors): Worker[] => [
  createTurns(deps, createEmbedding({ ...deps, ...toModels(vectors) })),
  { name: 'note the space of vectors', everySeconds: 60, run: () => vectors.recordSpace() },
  { name: 'keep indexes of vectors', everySeconds: 60, run: vectors.keepIndexes },
  { name: 'forget unused spaces', everySeconds: 600, run: () => purgeSpaces(deps, deps.clock.now()) },
]

/** Evals, and what agents learn and aim at. */
const learningWorkers = (deps: AppDeps): Worker[] => [
  createTurns(deps, createEvalWork(deps)),
  createTurns(deps, createChangeEvalWork(deps)),
  createTurns(deps, createGoalWork(deps)),
  createTurns(deps, createDistillationWork(deps)),
  createTurns(deps, createPageWork(deps)),
  { name: 'forget old runs of evals', everySeconds: 60, run: () => forgetEvalRuns(deps) },
  { name: 'forget old goals', everySeconds: 60, run: () => forgetGoals(deps) },
  { name: 'forget old distillations', everySeconds: 60, run: () => forgetDistillations(deps) },
]

/** The background work of a node with the worker role. */
export const backgroundWorkers = (
  deps: AppDeps,
  { mailServer, indexer, runs }: { mailServer: MailServer | undefined; indexer: PassageIndexer; runs: RunWork },
): Worker[] => [
  createTurns(deps, runs),
  createTurns(deps, indexer.work),
  createTurns(deps, createScheduledPublishing(deps)),
  createTurns(deps, createReleasedPublishing(deps)),
  createTurns(deps, createReminding(deps)),
  createTurns(deps, createRecordExpiry(deps)),
  createTurns(deps, createDocumentExpiry(deps)),
  createTurns(deps, createIndexBuilding(deps)),
  createTurns(deps, createSourceRefreshing({ ...deps, findCaps: (standing) => findCaps(deps.limits, standing) })),
  { name: 'forget sites of web pages', everySeconds: 3_600, run: () => forgetSites(deps) },
  createTurns(deps, createErasing({ ...deps, eraseElsewhere: createEraseElsewhere(deps) })),
  createTurns(
    deps,
    createErasureWork(deps, {
      organization: createOrganizationErasing(deps),
      account: createAccountErasing(deps),
    }),
  ),
  createTurns(deps, createBrainWebhookWork(deps)),
  createTurns(deps, createTriggerWork(deps)),
  createTurns(deps, createScheduleWork(deps)),
  ...learningWorkers(deps),
  createTurns(deps, createFlowWork(deps)),
  createTurns(
    deps,
    createExpansionWork({
      ...deps,
      findAgents: (organization, runs) => selectAgentsOfRuns(deps.db, organization, runs),
    }),
  ),
  createTurns(deps, createOrganizationWebhookWork({ ...deps, findRunTrace: (run) => findRunTrace(deps, run) })),
  createTurns(deps, createDailyMail(deps)),
  { name: 'forget old deliveries', everySeconds: 600, run: () => forgetDeliveries(deps) },
  ...(deps.vectors ? vectorWorkers(deps, deps.vectors) : []),
  { name: 'forget old snapshots', everySeconds: 60, run: () => forgetSnapshots(deps, deps.clock.now()) },
  { name: 'forget old receipts', everySeconds: 600, run: () => expireReceipts(deps, deps.clock.now()) },
  { name: 'bound receipts', everySeconds: 3_600, run: () => boundReceipts(deps) },
  { name: 'forget old runs', everySeconds: 60, run: () => forgetRuns(deps) },
  { name: 'sum up runs', everySeconds: 60, run: () => sumUpRuns(deps) },
  { name: 'forget old notifications', everySeconds: 600, run: () => forgetNotifications(deps) },
  { name: 'forget unused apps', everySeconds: 60, run: () => forgetApps(deps) },
  { name: 'erase files', everySeconds: 60, run: () => eraseDueBodies(deps) },
  { name: 'erase lost objects', everySeconds: 3_600, run: () => eraseLostObjects(deps) },
  { name: 'forget old mail', everySeconds: 600, run: () => purgeMail(deps) },
  ...(mailServer ? [createTurns(deps, createMailWork({ ...deps, server: mailServer }))] : []),
]

/** The background work of a node that answers requests. */
export const requestWorkers = ({ vectors, rates }: AppDeps, keys: KeyAuthentication): Worker[] => [
  { name: 'note the use of keys', everySeconds: 30, run: () => keys.recordUse() },
  { name: 'share rates', everySeconds: 1, run: () => rates.share() },
  { name: 'forget full rates', everySeconds: 60, run: () => rates.forget() },
  { name: 'free the memory of vectors', everySeconds: 60, run: async () => vectors?.dropIdle() },
]
