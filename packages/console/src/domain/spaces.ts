import { useQuery } from '@tanstack/react-query'
import { sourcesQuery } from '../api/queries.ts'

/** The spaces that sources belong to; `default` is always one. */
export function useSpaces(): readonly string[] {
  const { data: sources = [] } = useQuery(sourcesQuery)
  return [...new Set(['default', ...sources.map(({ space }) => space)])]
}
