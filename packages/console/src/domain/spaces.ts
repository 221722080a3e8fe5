import { useQuery } from '@tanstack/react-query'
import { sourcesQuery } from '../api/queries.ts'

/** The spaces of all sources, and `default`. */
export function useSpaces(): readonly string[] {
  const { data: sources = [] } = useQuery(sourcesQuery)
  return [...new Set(['default', ...sources.map(({ space }) => space)])]
}
