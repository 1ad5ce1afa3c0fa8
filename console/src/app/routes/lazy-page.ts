import { lazyRouteComponent } from '@tanstack/react-router'
import { loadPart } from '../../parts/part.ts'

/** A view that is loaded when its page is opened, or when the pointer is over a link to it. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadPart(load), name)
