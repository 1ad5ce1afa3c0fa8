import { Link } from '@tanstack/react-router'

/** The part of the service that proposed a change: a distillation, with a link to it, or a derived page. */
export const SystemAuthor = ({ id }: { id: string }) => {
  if (id.startsWith('dst_'))
    return (
      <Link to="/evals" search={{ open: id }}>
        a distillation
      </Link>
    )
  return id.startsWith('drv_') ? 'its derived page' : 'the service'
}
