import type { Destination, Source } from '@hookline/protocol'
import type { Catalog } from '../../backend/catalog.ts'
import { Problem } from '../problems/problem.ts'

/** The source with this id. @throws {Problem} `not_found` */
export function sourceOf({ current }: Catalog, id: string): Source {
  const source = current.sources.get(id)
  if (source === undefined) throw new Problem('not_found', { detail: 'No source has this id.' })
  return source
}

/** The destination with this id. @throws {Problem} `not_found` */
export function destinationOf({ current }: Catalog, id: string): Destination {
  const destination = current.destinations.get(id)
  if (destination === undefined) {
    throw new Problem('not_found', { detail: 'No destination has this id.' })
  }
  return destination
}
