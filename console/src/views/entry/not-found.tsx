import { Link } from '../../address.tsx'
import { EntryPage } from './entry-page.tsx'

export const NotFound = () => (
  <EntryPage title="Page not found" lead="The address may be mistyped, or the page has moved.">
    <Link to="/" className="button primary">
      Go to the home page
    </Link>
  </EntryPage>
)
