import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { counted } from '../../format/figures.ts'
import { type DeletionFields, idsIn } from './deletion-fields.ts'

/** Each user is some requests. */
const MOST_USERS = 50
const LAST_EVENTS = 100

interface AddAnonymousIdsProps {
  readonly fields: DeletionFields
  readonly onChange: (fields: DeletionFields) => void
}

/** Finds the anonymous ids of the users while Hookline still knows them. */
export function AddAnonymousIds({ fields, onChange }: AddAnonymousIdsProps): ReactElement | null {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const [said, setSaid] = useState('')
  const [isBusy, setBusy] = useState(false)
  const userIds = idsIn(fields.users)
  if (userIds.length === 0 || userIds.length > MOST_USERS) return null
  const add = async (): Promise<void> => {
    setBusy(true)
    try {
      const known = await anonymousIdsOf(userIds, [...new Set(sources.map(({ space }) => space))])
      const before = idsIn(fields.anonymous)
      const all = [...new Set([...before, ...known])]
      onChange({ ...fields, anonymous: all.join('\n') })
      const added = counted(all.length - before.length, 'anonymous id')
      setSaid(`${added} added: those that belong to the users.`)
    } catch (error) {
      setSaid(problemOf(error).message)
    }
    setBusy(false)
  }
  return (
    <p className="text-ink-soft text-dense -mt-2 flex flex-wrap items-center gap-2">
      <Button isBusy={isBusy} onClick={() => void add()}>
        Add their known anonymous ids
      </Button>
      <span role="status">{said}</span>
    </p>
  )
}

/**
 * From the profiles, which Hookline keeps once there is an audience: not the ids of devices that somebody else used first. Without a
 * profile, from what the users did last.
 */
async function anonymousIdsOf(
  userIds: readonly string[],
  spaces: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const userId of userIds) {
    const profiles = await Promise.all(spaces.map((space) => claimedBy(userId, space)))
    const known = profiles.filter((ids) => ids !== undefined)
    found.push(...known.flat())
    if (known.length > 0) continue
    const { data } = await api.listEvents({ userId, limit: LAST_EVENTS })
    found.push(...data.flatMap(({ event }) => idIn(event['anonymousId'])))
  }
  return found
}

function idIn(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? [value] : []
}

/** The anonymousIds that belong to a user; `undefined` without a profile. */
async function claimedBy(userId: string, space: string): Promise<readonly string[] | undefined> {
  const profile = await api.findProfile(userId, { space }).catch((error: unknown) => {
    if (problemOf(error).status === 404) return undefined
    throw error
  })
  return profile?.links
    .filter((link) => link.kind === 'anonymous' && link.userId === userId)
    .map(({ id }) => id)
}
