import { Link } from '@tanstack/react-router'
import { findHandle } from '../navigation.ts'
import { usePathname } from './use-pathname.ts'

/** A URL that is none of the pages: the address, and ways on. */
export const NoSuchPage = () => {
  const pathname = usePathname()
  const handle = findHandle(pathname)
  return (
    <div className="page">
      <h1>Page not found</h1>
      <p className="lead">
        There is no page at <code>{pathname}</code>. The address may be mistyped, or the page has moved.
      </p>
      <div className="actions">
        <Link to="/" className="button primary">
          Go to the home page
        </Link>
        {handle !== undefined && (
          <Link to="/brains/$handle" params={{ handle }} className="button">
            Open the Brain {handle}
          </Link>
        )}
        <Link to="/brains" className="button">
          All Brains
        </Link>
      </div>
    </div>
  )
}
