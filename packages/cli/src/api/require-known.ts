import type { ManagementApi } from './management-api.ts'

/** The source and the destination of a filter. */
interface Filter {
  readonly sourceId?: string | undefined
  readonly destinationId?: string | undefined
}

/**
 * Tells a filter that finds nothing from one whose id nothing has. Records of a deleted source are still found, so it is for
 * empty lists. @throws {Failure} `not found`
 */
export async function requireKnown(
  api: ManagementApi,
  { sourceId, destinationId }: Filter,
): Promise<void> {
  if (sourceId !== undefined) await api.getSource(sourceId)
  if (destinationId !== undefined) await api.getDestination(destinationId)
}
