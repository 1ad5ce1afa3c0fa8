import { Link } from '../address.tsx'
import { type ItemRef, itemPath, receiptsPath } from '../data/item-paths.ts'

/** Links from an item in a list to its page, and to the receipts of its readers. */
export const ItemLinks = ({ handle, item }: { handle: string; item: ItemRef }) => (
  <p className="thing-links">
    <Link to={itemPath(handle, item)}>Open its page</Link>
    <Link to={receiptsPath(handle, item)}>Receipts of reads that returned this item</Link>
  </p>
)
