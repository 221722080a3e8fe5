import { type FormEvent, type ReactElement, useRef } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { Button } from '../../design/controls/button.tsx'
import { Select, TextInput } from '../../design/controls/field.tsx'
import { useNames } from '../../domain/names.ts'
import { useUrlState } from '../../shell/url-state.ts'
import type { FilterName } from './requests.ts'

interface RequestFilterBarProps {
  readonly destinations: readonly Destination[] | undefined
}

/** Narrows the list to a destination, or to the attempts of a delivery. A choice applies at once, a text with Enter. */
export function RequestFilterBar({ destinations = [] }: RequestFilterBarProps): ReactElement {
  const [{ destination = '', delivery = '' }, setUrl] = useUrlState<FilterName>()
  const input = useRef<HTMLInputElement>(null)
  const names = useNames()
  const ids = [...new Set([...destinations.map(({ id }) => id), destination])].filter(Boolean)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setUrl({ delivery: input.current?.value.trim() })
  }
  return (
    <form
      role="search"
      aria-label="Filter the requests"
      onSubmit={submit}
      className="flex flex-wrap items-center gap-2 px-4 pb-3"
    >
      <div className="w-72 max-w-full">
        <Select
          aria-label="Destination"
          value={destination}
          onPick={(picked) => setUrl({ destination: picked })}
          options={[
            ['', 'All destinations'],
            ...ids.map((id) => [id, names.destination(id)] as const),
          ]}
        />
      </div>
      <TextInput
        // The text in the URL is what the input begins with, also after the way back.
        key={delivery}
        ref={input}
        data-filter
        aria-label="Id of the delivery"
        placeholder="Delivery: msg_…"
        className="max-w-72"
        maxLength={100}
        defaultValue={delivery}
      />
      <Button type="submit">Filter</Button>
      {(destination !== '' || delivery !== '') && (
        <Button
          look="quiet"
          onClick={() => setUrl({ destination: undefined, delivery: undefined })}
        >
          Clear the filters
        </Button>
      )}
    </form>
  )
}
