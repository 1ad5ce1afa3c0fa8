import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { showFailure, showToast } from '../../components/toast.ts'
import { useAction } from '../../components/use-action.ts'
import { type ChangeDetail, dropWaiting, refreshChanges } from '../../data/changes.ts'
import { type Session, useSession } from '../../session/session.tsx'
import { toEditable } from './item-fields.ts'

type Client = ReturnType<Session['client']['brain']>['changes']
type Settled = Awaited<ReturnType<Client['decide']>>
type DecideBody = NonNullable<Parameters<Client['decide']>[1]>

/** Undoes the last decision, as far as the service can. */
export type Undo = { name: string; run: () => Promise<void> }

const describe = ({ change, staged }: Settled): { title: string; text?: string; tone?: 'danger' | 'good' } => {
  const [rest] = staged
  const text =
    rest && `The other ${rest.itemCount === 1 ? 'item waits' : `${rest.itemCount} items wait`} as a separate change.`
  const details = text === undefined ? {} : { text }
  if (change.decision === 'rejected') return { title: 'Rejected', ...details }
  if (change.application === 'applied') return { title: 'Approved and published', tone: 'good', ...details }
  if (change.application === 'blocked')
    return { title: 'Approved, but blocked', text: change.blockedBy ?? '', tone: 'danger' }
  if (change.publishAt)
    return { title: `Approved, will be published ${new Date(change.publishAt).toLocaleString('en')}` }
  return { title: 'Approved, not published', ...details }
}

/**
 * Reverts a change. In a Brain in review mode, the revert is a change that waits for review: the person who reviews here approves
 * it in the same act. If they may not, it waits, and the message says so.
 */
const useRevert = (handle: string) => {
  const { client } = useSession()
  const navigate = useNavigate()
  const { changes } = client.brain(handle)
  const notify = (id: string, title: string, text?: string) =>
    showToast({
      ...{ title, text },
      action: {
        name: 'Open',
        onSelect: () => void navigate({ to: '/brains/$handle/changes/$id', params: { handle, id } }),
      },
    })
  return async (id: string) => {
    const { outcome, change } = await changes.revert(id)
    if (outcome === 'landed') return notify(change.id, 'Reverted')
    try {
      const settled = await changes.decide(change.id, { decision: 'approved', reason: `Reverts ${id}` })
      if (settled.change.application === 'applied') return notify(change.id, 'Reverted')
      const { title, text } = describe(settled)
      notify(change.id, `The revert: ${title.toLowerCase()}`, text)
    } catch (error) {
      notify(change.id, 'The revert waits for review', error instanceof Error ? error.message : undefined)
    }
  }
}

type Revert = ReturnType<typeof useRevert>

/** Undoes a decision: an unpublished change is pending again, a published one is reverted by a new change. */
const planUndo = (changes: Client, revert: Revert, { change }: Settled): Undo | undefined => {
  if (change.decision === 'rejected') return undefined
  if (change.application === 'applied') return { name: 'Revert', run: () => revert(change.id) }
  return {
    name: 'Undo',
    run: () => changes.rebase(change.id).then(() => showToast({ title: 'Undone: it is pending again' })),
  }
}

const actNames = { publish: 'Published', cancel: 'Cancelled', rebase: 'Rebased: it waits again' }

type Given = {
  handle: string
  change: ChangeDetail
  note: string
  /** True if the change is no longer as it is shown: there is nothing to decide. */
  isMoved: boolean
  onDecided: (undo: Undo | undefined) => void
  /** Shows the change as it is now, after an act of this person. */
  onActed: () => void
}

/** The selection and edits of a change before its decision. */
const useMarks = ({ items }: ChangeDetail) => {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(() => new Set(items.map(({ item }) => item)))
  const [edits, setEdits] = useState<Readonly<Record<string, Readonly<Record<string, unknown>>>>>({})
  const [active, setActive] = useState(0)
  const [editing, setEditing] = useState<string>()
  const toggle = (item: string) => {
    const next = new Set(ticked)
    if (!next.delete(item)) next.add(item)
    setTicked(next)
  }
  const move = (step: number) => setActive(Math.max(0, Math.min(items.length - 1, active + step)))
  const edit = (item: string, fields: Readonly<Record<string, unknown>>) =>
    setEdits({ ...edits, [item]: { ...edits[item], ...fields } })
  const tickAll = () => setTicked(new Set(ticked.size === items.length ? [] : items.map(({ item }) => item)))
  return { ticked, edits, active, editing, toggle, move, edit, tickAll, setActive, setEditing }
}

type Deciding = Pick<DecideBody, 'decision' | 'overrideEval'> & { publish: boolean | string; note: string }

/** A decision on the selected items, with their edits. */
const toDecideBody = (
  { items: all }: ChangeDetail,
  { ticked, edits: edited }: Pick<ReturnType<typeof useMarks>, 'ticked' | 'edits'>,
  { decision, publish, overrideEval, note }: Deciding,
): DecideBody => {
  const items = [...ticked]
  const edits = Object.fromEntries(items.flatMap((item) => (edited[item] ? [[item, { fields: edited[item] }]] : [])))
  const body = {
    decision,
    ...(items.length < all.length && { items }),
    ...(decision === 'approved' && { publish, ...(Object.keys(edits).length > 0 && { edits }) }),
    ...(overrideEval && { overrideEval }),
    ...(note !== '' && { reason: note }),
  }
  return body as DecideBody
}

/** Reviews one change: the selection, the edits, and the decisions. */
export const useReview = ({ handle, change, note, isMoved, onDecided, onActed }: Given) => {
  const session = useSession()
  const queries = useQueryClient()
  const marks = useMarks(change)
  const changes = session.client.brain(handle).changes
  const revert = useRevert(handle)
  const refresh = async () => {
    await refreshChanges(queries, session, handle)
    onActed()
  }
  const finish = async (settled: Settled) => {
    dropWaiting(queries, session, change.id)
    const undo = planUndo(changes, revert, settled)
    const act = undo && {
      name: undo.name,
      run: async () => {
        await undo.run().catch((error) => showFailure(error, `${undo.name} failed`))
        await refresh()
      },
    }
    showToast({ ...describe(settled), ...(act && { action: { name: act.name, onSelect: () => void act.run() } }) })
    onDecided(act)
    await refresh()
  }
  const decide = useAction(
    async (
      decision: DecideBody['decision'],
      publish: boolean | string = true,
      overrideEval?: DecideBody['overrideEval'],
    ) => {
      if (marks.ticked.size === 0 || isMoved) return
      const body = toDecideBody(change, marks, { decision, publish, overrideEval, note: note.trim() })
      await finish(await changes.decide(change.id, body))
    },
  )
  const act = useAction(async (act: 'publish' | 'cancel' | 'rebase' | 'revert') => {
    if (isMoved) return
    if (act === 'revert') await revert(change.id)
    else {
      await changes[act](change.id)
      showToast({ title: actNames[act] })
    }
    await refresh()
  })
  const editActive = () => {
    const item = change.items[marks.active]
    if (item && change.decision === 'pending' && toEditable(item)) marks.setEditing(item.item)
  }
  return {
    ...marks,
    editActive,
    decide: decide.run,
    act: act.run,
    isRunning: decide.isRunning || act.isRunning,
    error: decide.error ?? act.error,
  }
}

export type Review = ReturnType<typeof useReview>
