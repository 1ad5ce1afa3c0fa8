import { Link } from '../address.tsx'
import { useItemName } from '../data/item-names.ts'
import { type ItemRef, itemPath } from '../data/item-paths.ts'

type ItemLinkProps = { handle: string; item: ItemRef; asOf?: number | undefined }

/** The name of an item in a list that knows its id. */
export const ItemName = ({ handle, item }: Omit<ItemLinkProps, 'asOf'>) => (
  <span title={item.id}>{useItemName(handle, item)}</span>
)

/** A link to the page of an item by its name. */
export const ItemLink = ({ handle, item, asOf }: ItemLinkProps) => (
  <Link to={itemPath(handle, item, asOf === undefined ? {} : { asOf })} title={item.id}>
    {useItemName(handle, item)}
  </Link>
)
