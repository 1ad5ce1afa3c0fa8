import type { OrganizationLimits, Rate, Use } from '@noema/contracts/organization.ts'
import { toSize } from '@noema/contracts/sizes.ts'
import { Badge } from '../../components/badge.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { toAmount } from '../../plural.ts'

const toNumber = (value: number): string => toAmount(value)
const nearShare = 0.9

type MeterProps = { name: string; use: Use; write?: (value: number) => string }

/** The used share of a limit. */
const Meter = ({ name, use: { used, max }, write = toNumber }: MeterProps) => (
  <div className="meter" data-tone={max !== null && used >= max * nearShare ? 'danger' : undefined}>
    <span>{name}</span>
    <span className="meter-words">
      {write(used)} <span className="muted">{max === null ? 'no limit' : `of ${write(max)}`}</span>
    </span>
    {max !== null && <progress aria-label={name} max={max} value={Math.min(used, max)} />}
  </div>
)

const writeRate = ({ perSecond, burst }: Rate): string => `${toNumber(perSecond)} a second, ${toNumber(burst)} at once`

/** The limits of the organization and their usage. */
export const LimitsPanel = ({ limits }: { limits: OrganizationLimits }) => {
  const { tier, confirmed, brains, writesToday, bytesToday, runsToday, fileBytes, resetsAt, rates } = limits
  return (
    <Panel title="Limits and usage" actions={<Badge tone="accent">{tier}</Badge>}>
      {!confirmed && tier !== 'staff' && (
        <Notice tone="warning">
          <p>
            No owner has confirmed their email address yet, so the lowest limits apply. A confirmation raises them at
            once.
          </p>
        </Notice>
      )}
      <div className="meters">
        <Meter name="Brains" use={brains} />
        <Meter name="Writes today" use={writesToday} />
        <Meter name="Content today" use={bytesToday} write={toSize} />
        <Meter name="Runs today" use={runsToday} />
        <Meter name="Files" use={fileBytes} write={toSize} />
      </div>
      <KeyValues
        items={[
          ['Day resets', <Time key="ends" iso={resetsAt} />],
          ['Requests per key', rates ? writeRate(rates.key) : 'no limit'],
          ['Requests in total', rates ? writeRate(rates.organization) : 'no limit'],
        ]}
      />
      <p className="muted">
        The limits count all organizations of the first owner together. Reads and exports continue beyond them. The
        operator of the service can change the tier.
      </p>
    </Panel>
  )
}
