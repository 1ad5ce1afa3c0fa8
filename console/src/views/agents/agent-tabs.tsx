import { LinkTabs, TabLink } from '../../components/link-tabs.tsx'
import { listAgentPlaces } from '../../places.ts'

/** Tabs for the pages of agents and their parts. */
export const AgentTabs = () => (
  <LinkTabs label="Of agents">
    {listAgentPlaces().map(({ name, to }) => (
      <TabLink key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
        {name}
      </TabLink>
    ))}
  </LinkTabs>
)
