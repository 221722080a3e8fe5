import { BUILT_IN_SOURCE_ID } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { errorAt } from '../../../api/problem.ts'
import { destinationsQuery } from '../../../api/queries.ts'
import { Checkbox } from '../../../design/controls/field.tsx'
import { Loaded } from '../../../design/states.tsx'
import { shownText } from '../../../format/shown-text.ts'

interface DestinationPickerProps {
  readonly picked: readonly string[]
  readonly onPick: (ids: string[]) => void
  /** Why the request failed. */
  readonly error: unknown
}

export function DestinationPicker({ picked, onPick, error }: DestinationPickerProps): ReactElement {
  const query = useQuery(destinationsQuery)
  const errors = picked.flatMap((_, index) => errorAt(error, `/destinationIds/${index}`) ?? [])
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 pt-3">
      <legend className="text-dense float-left mb-1 font-medium">Destinations</legend>
      <Loaded query={query} lines={2}>
        {(all) => {
          // Alert channels receive only alerts.
          const destinations = all.filter(({ sourceId }) => sourceId !== BUILT_IN_SOURCE_ID)
          return (
            <>
              {destinations.length === 0 && (
                <p className="text-ink-soft">
                  No destinations yet.{' '}
                  <Link to="/destinations" className="text-accent underline">
                    Create a destination
                  </Link>
                  , or add one later.
                </p>
              )}
              {destinations.map(({ id, name, enabled }) => (
                <Checkbox
                  key={id}
                  label={
                    <>
                      {shownText(name, 100)}
                      {!enabled && <span className="text-ink-faint"> (disabled)</span>}
                    </>
                  }
                  checked={picked.includes(id)}
                  onToggle={(isPicked) =>
                    onPick(isPicked ? [...picked, id] : picked.filter((each) => each !== id))
                  }
                />
              ))}
            </>
          )
        }}
      </Loaded>
      {picked.length === 0 && (
        <p className="text-ink-faint text-note">Without destinations, changes are not sent.</p>
      )}
      {errors.map((each) => (
        <p key={each} className="text-failed text-note">
          {each}
        </p>
      ))}
    </fieldset>
  )
}
