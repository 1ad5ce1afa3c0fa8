import type { AccessRequest } from '@noema/contracts/access-requests.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useLayoutEffect, useState } from 'react'
import { baseUrl } from '../../base-path.ts'
import { Badge, Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Code } from '../../components/code.tsx'
import { Empty } from '../../components/empty.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { requestStates, requestsQuery, toSignUpLink } from '../../data/admin.ts'
import { toTablePages } from '../../data/paging.ts'
import { useSession } from '../../session/session.tsx'
import { readWord } from '../../validate-search.ts'
import { AdminPage } from './admin-page.tsx'
import { ApproveDialog, RefuseDialog } from './request-dialogs.tsx'

const route = getRouteApi('/admin/requests')

const columns: readonly Column<AccessRequest>[] = [
  { key: 'email', title: 'Email', cell: ({ email }) => <strong>{email}</strong> },
  { key: 'message', title: 'Message', isWide: true, cell: ({ message }) => message },
  {
    key: 'account',
    title: 'Account',
    width: 120,
    isWide: true,
    cell: ({ account }) => account && <Badge tone="info">has one</Badge>,
  },
  { key: 'asked', title: 'Requested', width: 110, isWide: true, cell: ({ createdAt }) => <Time iso={createdAt} /> },
  { key: 'state', title: 'State', width: 110, cell: ({ state }) => <Status state={state} /> },
]

type Act = 'approve' | 'refuse'
type Chosen = { act: Act; request: AccessRequest }

const toFacts = ({ account, decidedAt, tier, code }: AccessRequest) => [
  ...(account
    ? [
        [
          'Account',
          account.organization ? (
            <Link key="account" to="/admin/organizations/$id" params={{ id: account.organization.id }}>
              {account.organization.name} ({account.organization.tier})
            </Link>
          ) : (
            account.userId
          ),
        ] as const,
      ]
    : []),
  ...(decidedAt ? [['Decided', <Time key="decided" iso={decidedAt} />] as const] : []),
  ...(tier ? [['Tier', tier] as const] : []),
  ...(code
    ? [
        [
          'Link',
          code.usesLeft === 0 ? 'was used' : `works until ${code.expiresAt?.slice(0, 10) ?? 'it is used'}`,
        ] as const,
      ]
    : []),
]

const RequestDetail = ({ request, onAct }: { request: AccessRequest; onAct: (act: Act) => void }) => {
  const { email, message, state, reason, code } = request
  const facts = [['Asked', <Time key="asked" iso={request.createdAt} />] as const, ...toFacts(request)]
  return (
    <div className="stack admin-detail">
      <p className="admin-text">{message ?? <span className="muted">No message.</span>}</p>
      <KeyValues items={facts} layout="row" />
      {reason && <p className="admin-text">Refused: {reason}</p>}
      {code && code.usesLeft !== 0 && <Code label="Emailed link" code={toSignUpLink(code.code, email)} />}
      {state === 'waiting' && (
        <div className="actions">
          <Button tone="primary" size="small" onClick={() => onAct('approve')}>
            Approve
          </Button>
          <Button tone="danger" size="small" onClick={() => onAct('refuse')}>
            Refuse
          </Button>
        </div>
      )}
    </div>
  )
}

const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input:not([type=radio]), textarea, select') !== null

/** `a` approves and `r` refuses the focused or open row. */
const useRequestKeys = (rows: readonly AccessRequest[], openId: string | undefined, choose: (chosen: Chosen) => void) =>
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = ({ a: 'approve', r: 'refuse' } as const)[event.key]
      if (!act || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('[role=dialog]')) return
      const row = document.activeElement?.closest('tr[data-row]')?.getAttribute('data-row')
      const request = row ? rows[Number(row)] : rows.find(({ id }) => id === openId)
      if (request?.state !== 'waiting') return
      event.preventDefault()
      choose({ act, request })
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [rows, openId, choose])

const none: readonly AccessRequest[] = []
const shown = [
  { value: 'waiting', name: 'Waiting' },
  { value: 'approved', name: 'Approved' },
  { value: 'refused', name: 'Refused' },
  { value: 'all', name: 'All' },
] as const

const RequestTable = () => {
  const session = useSession()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const state = search.state ?? 'waiting'
  const query = useInfiniteQuery(requestsQuery(session, readWord(state, requestStates)))
  const [chosen, setChosen] = useState<Chosen>()
  const rows = query.data?.pages.flatMap((page) => page.requests)
  useRequestKeys(rows ?? none, search.open, setChosen)
  const close = () => setChosen(undefined)
  return (
    <>
      <div className="admin-filters">
        <RadioGroup
          label="State"
          isLabelHidden
          isSegments
          options={shown}
          value={shown.find(({ value }) => value === state)?.value ?? 'waiting'}
          onChange={(value) => void navigate({ search: { state: value }, replace: true })}
        />
        <span className="muted admin-keys">
          <Kbd keys="j" /> <Kbd keys="k" /> row, <Kbd keys="Enter" /> open, <Kbd keys="a" /> approve, <Kbd keys="r" />{' '}
          refuse
        </span>
      </div>
      <DataTable
        label="Requests for access"
        columns={columns}
        rows={rows}
        toId={({ id }) => id}
        {...toTablePages(query)}
        openId={search.open}
        onOpen={({ id }) =>
          void navigate({ search: { ...search, open: id === search.open ? undefined : id }, replace: true })
        }
        renderOpen={(request) => <RequestDetail request={request} onAct={(act) => setChosen({ act, request })} />}
        empty={
          <Empty title={state === 'waiting' ? 'No pending requests' : 'No matching requests'}>
            People without an account can request access at <code>{baseUrl}/request-access</code>.
          </Empty>
        }
      />
      {chosen?.act === 'approve' && <ApproveDialog request={chosen.request} onClose={close} />}
      {chosen?.act === 'refuse' && <RefuseDialog request={chosen.request} onClose={close} />}
    </>
  )
}

/** Requests for access and their decisions. */
export const Requests = () => (
  <AdminPage title="Access requests" lead="An email address is proven only when its owner opens the emailed link.">
    <RequestTable />
  </AdminPage>
)
