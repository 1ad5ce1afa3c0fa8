import { Link } from '../../address.tsx'
import { EntryPage } from './entry-page.tsx'

export const NotFound = () => (
  <EntryPage title="There is no such page" lead="The address may be mistyped, or the page has moved.">
    <Link to="/" className="button primary">
      Go to the start
    </Link>
  </EntryPage>
)
