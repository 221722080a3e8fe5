import { useQuery } from '@tanstack/react-query'
import type { NameOf } from '../draft/words.ts'
import { AUDIENCES, computationsQuery } from './computation-kind.ts'

/** The names of all audiences, for words about clauses that name one. */
export function useAudienceNames(): NameOf {
  const { data: audiences = [] } = useQuery(computationsQuery(AUDIENCES))
  return (id) => audiences.find((each) => each.id === id)?.name
}
