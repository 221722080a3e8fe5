import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { FactList } from '../design/lists/fact-list.tsx'
import { Time } from '../design/texts/time.tsx'
import { wholeNumber } from '../format/figures.ts'
import { shownText } from '../format/shown-text.ts'

interface UserCardProps {
  readonly userId: string
  readonly space: string
}

const MAX_TRAITS = 4

/** The most important facts about a user, from the profile. */
export function UserCard({ userId, space }: UserCardProps): ReactElement {
  const { data: profile, error } = useQuery({
    queryKey: ['profiles', space, userId],
    queryFn: () => api.findProfile(userId, { space }),
  })
  if (error !== null)
    return <>{problemOf(error).status === 404 ? 'No profile yet.' : 'The profile did not load.'}</>
  if (profile === undefined) return <>Loading…</>
  const { traits, audiences, counts, firstSeenAt, lastSeenAt } = profile
  const events = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const texts = Object.entries(traits).flatMap(([name, { value }]): [string, string][] => {
    const isText = typeof value !== 'object' && value !== null
    return isText ? [[shownText(name, 30), shownText(String(value), 60)]] : []
  })
  return (
    <FactList
      facts={[
        ...texts.slice(0, MAX_TRAITS),
        ['Events', wholeNumber(events)],
        ['First seen', firstSeenAt === null ? 'never' : <Time key="first" at={firstSeenAt} />],
        ['Last seen', lastSeenAt === null ? 'never' : <Time key="last" at={lastSeenAt} />],
        ['Audiences', audiences.map(({ name }) => shownText(name, 40)).join(', ') || 'none'],
      ]}
    />
  )
}
