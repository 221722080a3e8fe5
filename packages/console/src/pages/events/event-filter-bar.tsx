import { EVENT_OUTCOMES, EVENT_TYPES } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent, ReactElement } from 'react'
import { errorAt } from '../../api/problem.ts'
import { sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { Field, Select, TextInput } from '../../design/controls/field.tsx'
import { Icon } from '../../design/icon.tsx'
import { useIsWide } from '../../design/use-is-wide.ts'
import { idChoices, useNames } from '../../domain/names.ts'
import { inputTime, timeOfInput } from '../../format/input-time.ts'
import { useZone } from '../../format/time-zone.ts'
import { SaveViewButton } from '../../shell/saved-views.tsx'
import { useSetUrl } from '../../shell/url-state.ts'
import { type EventFilters, type FilterName, NO_FILTERS, RANGES } from './event-filters.ts'

interface EventFilterBarProps {
  readonly filters: EventFilters
  /** The error from loading the list; a filter may have caused it. */
  readonly error: unknown
}

const TEXTS = [
  ['event', 'Event name', 'Order Completed'],
  ['userId', 'userId', ''],
  ['anonymousId', 'anonymousId', ''],
  ['messageId', 'messageId', ''],
] as const

const INPUTS = ['text', ...TEXTS.map(([name]) => name), 'from', 'to'] as const

/** Text inputs apply on Enter, select boxes immediately. Narrow screens collapse all but the first input. */
export function EventFilterBar({ filters, error }: EventFilterBarProps): ReactElement {
  const isWide = useIsWide()
  const zone = useZone()
  const setUrl = useSetUrl<FilterName>()
  const foldedCount = Object.keys(filters).filter((name) => name !== 'text').length
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setUrl(inputsOf(new FormData(event.currentTarget), zone))
  }
  const choices = (
    <>
      <Choices filters={filters} />
      {filters.range === 'custom' && <CustomRange filters={filters} error={error} />}
    </>
  )
  return (
    <form
      role="search"
      aria-label="Filter events"
      // Going back in the history fills the inputs again.
      key={JSON.stringify(INPUTS.map((name) => filters[name]))}
      onSubmit={submit}
      className="flex flex-col gap-3"
    >
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-3 lg:grid-cols-[2fr_1fr_1fr_1fr_1fr]">
        <Field label="Contains" fieldError={errorAt(error, '/text')}>
          {(ids) => (
            <TextInput
              {...ids}
              data-filter
              name="text"
              maxLength={200}
              defaultValue={filters.text ?? ''}
              placeholder="Any name, value or ID in the call"
            />
          )}
        </Field>
        {isWide && choices}
      </div>
      <details open={isWide && TEXTS.some(([name]) => filters[name] !== undefined)}>
        <summary className="text-ink-soft text-dense w-fit">
          More filters{!isWide && foldedCount > 0 && ` (${foldedCount})`}
        </summary>
        <div className="mt-2 grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-4">
          {!isWide && choices}
          <ExactFilters filters={filters} error={error} />
        </div>
      </details>
      <Actions filters={filters} />
    </form>
  )
}

function Actions({ filters }: Pick<EventFilterBarProps, 'filters'>): ReactElement {
  const setUrl = useSetUrl<FilterName>()
  return (
    <div className="flex gap-2">
      <Button type="submit">
        <Icon name="search" /> Filter
      </Button>
      {Object.keys(filters).length > 0 && (
        <>
          <Button variant="quiet" onClick={() => setUrl(NO_FILTERS)}>
            Clear filters
          </Button>
          <SaveViewButton />
        </>
      )}
    </div>
  )
}

function ExactFilters({ filters, error }: EventFilterBarProps): ReactElement {
  return (
    <>
      {TEXTS.map(([name, label, placeholder]) => (
        <Field key={name} label={label} fieldError={errorAt(error, `/${name}`)}>
          {(ids) => (
            <TextInput
              {...ids}
              name={name}
              defaultValue={filters[name] ?? ''}
              placeholder={placeholder}
            />
          )}
        </Field>
      ))}
    </>
  )
}

function inputsOf(form: FormData, zone: 'utc' | 'local') {
  const values = INPUTS.map((name) => {
    const value = form.get(name)
    return [name, typeof value === 'string' ? value.trim() : '']
  })
  const { from, to, ...texts } = Object.fromEntries(values) as Record<FilterName, string>
  return { ...texts, from: timeOfInput(from, zone), to: timeOfInput(to, zone) }
}

function Choices({ filters }: Pick<EventFilterBarProps, 'filters'>): ReactElement {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const names = useNames()
  const setUrl = useSetUrl<FilterName>()
  const sourceIds = [...sources.map(({ id }) => id), filters.source ?? '']
  const choices = [
    ['outcome', 'Outcome', idChoices('All outcomes', EVENT_OUTCOMES, String)],
    ['source', 'Source', idChoices('All sources', sourceIds, names.source)],
    ['type', 'Type', idChoices('All types', EVENT_TYPES, String)],
    ['range', 'Time', RANGES],
  ] as const
  return (
    <>
      {choices.map(([name, label, options]) => (
        <Field key={name} label={label}>
          {(ids) => (
            <Select
              {...ids}
              className="w-full"
              options={options}
              value={filters[name] ?? ''}
              onPick={(value) => setUrl({ [name]: value })}
            />
          )}
        </Field>
      ))}
    </>
  )
}

function CustomRange({ filters, error }: EventFilterBarProps): ReactElement {
  const zone = useZone()
  return (
    <div className="col-span-full grid grid-cols-1 gap-3 sm:grid-cols-2 lg:w-1/2">
      {(['from', 'to'] as const).map((name) => (
        <Field
          key={name}
          label={name === 'from' ? 'From' : 'To'}
          hint={zone === 'utc' ? 'UTC' : 'Local time'}
          fieldError={errorAt(error, `/${name}`)}
        >
          {(ids) => (
            <TextInput
              {...ids}
              key={zone}
              name={name}
              type="datetime-local"
              step={1}
              defaultValue={inputTime(filters[name], zone)}
            />
          )}
        </Field>
      ))}
    </div>
  )
}
