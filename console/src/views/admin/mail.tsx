import type { AdministeredMail } from '@noema/contracts/admin.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Code } from '../../components/code.tsx'
import { Empty } from '../../components/empty.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { showToast } from '../../components/toast.ts'
import { useAction } from '../../components/use-action.ts'
import { healthQuery, mailQuery, mailStates, useAdminRefresh } from '../../data/admin.ts'
import { toTablePages } from '../../data/paging.ts'
import { useSession } from '../../session/session.tsx'
import { readWord } from '../../validate-search.ts'
import { AdminPage } from './admin-page.tsx'

const route = getRouteApi('/admin/mail')

const columns: readonly Column<AdministeredMail>[] = [
  { key: 'to', title: 'To', cell: ({ to }) => to },
  { key: 'subject', title: 'Subject', isWide: true, cell: ({ subject }) => subject },
  { key: 'tries', title: 'Tries', width: 70, align: 'end', isWide: true, cell: ({ attempts }) => attempts },
  { key: 'at', title: 'Written', width: 110, isWide: true, cell: ({ createdAt }) => <Time iso={createdAt} /> },
  { key: 'state', title: 'State', width: 100, cell: ({ state }) => <Status state={state} /> },
]

const whatOf: Readonly<Record<AdministeredMail['state'], string>> = {
  stored: 'No mail server is set up. Pass on the text yourself.',
  pending: 'It is sent, or retried, automatically.',
  sent: 'The mail server accepted it. Its text has been deleted.',
  failed: 'All attempts failed.',
}

const MailDetail = ({ mail, delivers }: { mail: AdministeredMail; delivers: boolean }) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const { run, isRunning, error } = useAction(async () => {
    await session.client.admin.retryMail(mail.id)
    showToast({ tone: 'good', title: 'It is tried once more', text: mail.to })
    await refresh()
  })
  const { subject, text, state, lastError, nextAttemptAt, sentAt, createdAt } = mail
  return (
    <div className="stack admin-detail">
      <p className="admin-text">{whatOf[state]}</p>
      {lastError && (
        <p className="admin-text">
          The last try failed: <code>{lastError}</code>
        </p>
      )}
      <KeyValues
        layout="row"
        items={[
          ['Subject', subject],
          ['Written', <Time key="written" iso={createdAt} />],
          ...(nextAttemptAt ? [['Next attempt', <Time key="next" iso={nextAttemptAt} />] as const] : []),
          ...(sentAt ? [['Sent', <Time key="sent" iso={sentAt} />] as const] : []),
        ]}
      />
      {text !== null && <Code label="Text" code={text} />}
      {text === null && state === 'stored' && (
        <p className="muted">The text is deleted, because its link no longer works.</p>
      )}
      <FailureNotice error={error} />
      {state === 'failed' && delivers && (
        <div className="actions">
          <Button tone="primary" size="small" isBusy={isRunning} onClick={() => void run()}>
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}

const NoServer = () => (
  <Notice tone="warning" title="No mail server is set up">
    <p>
      Emails are stored but not sent. Open one here and pass its link on to the recipient. The service’s log has it,
      too. To send emails, start the service with <code>NOEMA_SMTP_URL</code>, such as{' '}
      <code>smtps://user:password@mail.example.com</code>, and <code>NOEMA_MAIL_FROM</code>.
    </p>
  </Notice>
)

const stateNames: Readonly<Record<AdministeredMail['state'], string>> = {
  failed: 'Failed',
  pending: 'Waiting',
  stored: 'Stored',
  sent: 'Sent',
}

const shown = [
  { value: '', name: 'All' } as const,
  ...mailStates.map((state) => ({ value: state, name: stateNames[state] })),
]

const MailTable = () => {
  const session = useSession()
  const { state, open } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(mailQuery(session, readWord(state, mailStates)))
  const { data: health } = useQuery(healthQuery(session))
  return (
    <>
      {health?.mail.delivers === false && <NoServer />}
      <div className="admin-filters">
        <RadioGroup
          label="State"
          isLabelHidden
          isSegments
          options={shown}
          value={shown.find(({ value }) => value === state)?.value ?? ''}
          onChange={(value) => void navigate({ search: { state: value || undefined }, replace: true })}
        />
      </div>
      <DataTable
        label="Mail"
        columns={columns}
        rows={query.data?.pages.flatMap((page) => page.mail)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        openId={open}
        onOpen={({ id }) => void navigate({ search: { state, open: id === open ? undefined : id }, replace: true })}
        renderOpen={(mail) => <MailDetail mail={mail} delivers={health?.mail.delivers ?? false} />}
        empty={
          <Empty title={state ? 'No matching emails' : 'No emails yet'}>
            Confirmation links, invitations and requests appear here for a month.
          </Empty>
        }
      />
    </>
  )
}

/** The emails that the service has sent. */
export const Mail = () => (
  <AdminPage title="Mail" lead="The last month. Emails that a mail server delivered are never shown.">
    <MailTable />
  </AdminPage>
)
