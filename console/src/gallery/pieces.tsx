import { Badge, Status } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { CopyId } from '../components/copy-id.tsx'
import { Empty } from '../components/empty.tsx'
import { Icon, iconNames } from '../components/icon.tsx'
import { Kbd } from '../components/kbd.tsx'
import { KeyValues } from '../components/key-values.tsx'
import { LinkTabs, TabLink } from '../components/link-tabs.tsx'
import { FailureNotice, Notice } from '../components/notice.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Panel } from '../components/panel.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Time } from '../components/time.tsx'

const failure = Object.assign(new Error('This Brain is held, so it takes no writes. Release it first.'), {
  requestId: 'req_01m819vdax0548dt7mx0g66hs2',
})

const Words = () => (
  <>
    <Empty title="No Brains yet" action={<Button tone="primary">Create Brain</Button>}>
      A Brain is one knowledge store.
    </Empty>
    <Notice tone="good" title="Written">
      <p>Version 2 is served.</p>
    </Notice>
    <Notice tone="warning" title="Held">
      <p>It can be read, not written.</p>
    </Notice>
    <FailureNotice error={failure} onRetry={() => {}} />
    <Panel title="Icons">
      <p className="actions">
        {iconNames.map((name) => (
          <span key={name} title={name}>
            <Icon name={name} />
          </span>
        ))}
      </p>
    </Panel>
  </>
)

/** Informative components: headers, panels, states, notices, facts. */
export const Pieces = () => (
  <>
    <PageHeader
      title="Components"
      lead="The components of the pages."
      badges={<Badge tone="accent">in dev alone</Badge>}
      actions={<Button tone="primary">Create Brain</Button>}
      crumbs={<span>Noema</span>}
    />
    <LinkTabs label="Example">
      <TabLink to="." count={3}>
        Overview
      </TabLink>
    </LinkTabs>
    <div className="columns">
      <Panel title="States" description="By word and color" actions={<Button size="small">All</Button>}>
        <p>
          {['active', 'running', 'pending', 'failed', 'something else'].map((state) => (
            <span key={state}>
              <Status state={state} />{' '}
            </span>
          ))}
        </p>
        <p>
          <Badge>direct</Badge> <Badge tone="good">good</Badge> <Badge tone="warning">warning</Badge>{' '}
          <Badge tone="danger">danger</Badge> <Badge tone="info">info</Badge>
        </p>
        <p>
          <Kbd keys="Mod+K" /> <Kbd keys="g h" />
        </p>
      </Panel>
      <Panel title="Facts">
        <KeyValues
          items={[
            ['Mode', 'review'],
            ['Updated', <Time key="time" iso="2026-01-01T00:00:00.000Z" />],
            ['Id', <CopyId key="id" id="brn_01m819vdax0548dt7mx0g66hs2" />],
          ]}
        />
      </Panel>
      <Panel title="Loading">
        <Skeleton />
        <Skeleton height={60} />
      </Panel>
    </div>
    <Words />
  </>
)
