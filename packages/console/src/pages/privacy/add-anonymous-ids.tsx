import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/button.tsx'
import { counted } from '../../format/figures.ts'
import { type DeletionFields, idsIn } from './deletion-fields.ts'

/** Each user is one request. */
const MOST_USERS = 50

interface AddAnonymousIdsProps {
  readonly fields: DeletionFields
  readonly onChange: (fields: DeletionFields) => void
}

/** Finds the anonymous ids of the users in their profiles, which are gone after the deletion. */
export function AddAnonymousIds({ fields, onChange }: AddAnonymousIdsProps): ReactElement | null {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const [said, setSaid] = useState('')
  const [isBusy, setBusy] = useState(false)
  const userIds = idsIn(fields.users)
  if (userIds.length === 0 || userIds.length > MOST_USERS) return null
  const add = async (): Promise<void> => {
    setBusy(true)
    try {
      const spaces = [...new Set(sources.map(({ space }) => space))]
      const known = await anonymousIdsOf(userIds, spaces)
      const before = idsIn(fields.anonymous)
      const all = [...new Set([...before, ...known])]
      onChange({ ...fields, anonymous: all.join('\n') })
      setSaid(`${counted(all.length - before.length, 'anonymous id')} added.`)
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

async function anonymousIdsOf(
  userIds: readonly string[],
  spaces: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const userId of userIds)
    for (const space of spaces) {
      const profile = await api.getProfile(userId, { space }).catch((error: unknown) => {
        if (problemOf(error).status === 404) return undefined
        throw error
      })
      found.push(...(profile?.anonymousIds ?? []))
    }
  return found
}
