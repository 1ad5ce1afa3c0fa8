import { Link } from '../router.tsx'
import { receiptsPath, type ThingRef, thingPath } from './paths.ts'

/** From a thing in a list to its page, and to the receipts of what read it. */
export const ThingLinks = ({ handle, thing }: { handle: string; thing: ThingRef }) => (
  <p className="thing-links">
    <Link to={thingPath(handle, thing)}>Open its page</Link>
    <Link to={receiptsPath(handle, thing)}>Receipts of reads that returned it</Link>
  </p>
)
