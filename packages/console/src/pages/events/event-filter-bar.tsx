import { EVENT_OUTCOMES, EVENT_TYPES } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { faultAt } from '../../api/problem.ts'
import { sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { Field, Select, TextInput } from '../../design/controls/field.tsx'
import { Icon } from '../../design/icon.tsx'
import { useIsWide } from '../../design/use-is-wide.ts'
import { shownText } from '../../format/shown-text.ts'
import { inputTime, timeOfInput } from '../../format/input-time.ts'
import { useZone } from '../../format/time-zone.ts'
import { type EventFilters, type FilterName, FILTERS, RANGES } from './event-filters.ts'

type Change = (change: Readonly<Partial<Record<FilterName, string | undefined>>>) => void

interface EventFilterBarProps {
  readonly filters: EventFilters
  /** Why the list could not be loaded, which may be a filter. */
  readonly error: unknown
  readonly onChange: Change
}

/** The filters with their words. Texts apply with Enter, choices at once. */
const TEXTS: readonly (readonly [name: FilterName, label: string, hint: string])[] = [
  ['event', 'Event name', 'Order Completed'],
  ['userId', 'userId', ''],
  ['anonymousId', 'anonymousId', ''],
  ['messageId', 'messageId', ''],
]

/** On a narrow screen, all but the first text is folded: the events are what people come for. */
export function EventFilterBar({ filters, error, onChange }: EventFilterBarProps): ReactElement {
  const isWide = useIsWide()
  const clear = (): void => onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])))
  return (
    <form
      role="search"
      aria-label="Filter the events"
      // The texts in the URL are what the inputs begin with, also after the way back.
      key={JSON.stringify(
        ['text' as const, ...TEXTS.map(([name]) => name)].map((name) => filters[name]),
      )}
      onSubmit={(event) => onChange(textsOf(event))}
      className="flex flex-col gap-3"
    >
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-3 lg:grid-cols-[2fr_1fr_1fr_1fr_1fr]">
        <Field label="Contains" hint={undefined} fault={faultAt(error, '/text')}>
          {(ids) => (
            <TextInput
              {...ids}
              data-filter
              name="text"
              maxLength={200}
              defaultValue={filters.text ?? ''}
              placeholder="Any text of the call: a name, a value, an id"
            />
          )}
        </Field>
        {isWide && <Choices filters={filters} onChange={onChange} />}
      </div>
      {isWide && <OwnRange {...{ filters, error, onChange }} />}
      <MoreFilters {...{ filters, error, onChange }} isWide={isWide} />
      <div className="flex gap-2">
        <Button type="submit">
          <Icon name="search" /> Filter
        </Button>
        {Object.keys(filters).length > 0 && (
          <Button look="quiet" onClick={clear}>
            Clear the filters
          </Button>
        )}
      </div>
    </form>
  )
}

/** The texts as written, cleared where empty. */
function textsOf(event: FormEvent<HTMLFormElement>): Partial<Record<FilterName, string>> {
  event.preventDefault()
  const form = new FormData(event.currentTarget)
  return Object.fromEntries(
    (['text', ...TEXTS.map(([name]) => name)] as const).map((name) => [name, textIn(form, name)]),
  )
}

function textIn(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

function Choices({ filters, onChange }: Omit<EventFilterBarProps, 'error'>): ReactElement {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const sourceOptions = sources.map(({ id, name }) => [id, shownText(name, 60)] as const)
  // A link may name a source that was removed since.
  const isKnown = filters.source === undefined || sources.some(({ id }) => id === filters.source)
  const all = [
    ['', 'All sources'],
    ...sourceOptions,
    ...(isKnown ? [] : [[filters.source, shownText(filters.source, 60)] as const]),
  ] as const
  const types = [['', 'All types'], ...EVENT_TYPES.map((type) => [type, type] as const)] as const
  const outcomes = [
    ['', 'All outcomes'],
    ...EVENT_OUTCOMES.map((each) => [each, each] as const),
  ] as const
  const choices = [
    ['outcome', 'Outcome', outcomes],
    ['source', 'Source', all],
    ['type', 'Type', types],
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
              onPick={(value) => onChange({ [name]: value })}
            />
          )}
        </Field>
      ))}
    </>
  )
}

interface MoreFiltersProps extends EventFilterBarProps {
  readonly isWide: boolean
}

/** The filters that are needed less often. With room for them, they are open where one of them is set. */
function MoreFilters({ isWide, ...props }: MoreFiltersProps): ReactElement {
  const { filters, error, onChange } = props
  const [isOpen, setOpen] = useState(isWide && TEXTS.some(([name]) => filters[name] !== undefined))
  const { text: _, ...folded } = filters
  const setCount = Object.keys(folded).length
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="text-ink-soft text-dense w-fit">
        {isWide
          ? 'By event name, userId, anonymousId, messageId'
          : `More filters${setCount > 0 ? `: ${setCount} set` : ''}`}
      </summary>
      <div className="mt-2 grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {!isWide && <Choices filters={filters} onChange={onChange} />}
        {!isWide && <OwnRange {...props} />}
        {TEXTS.map(([name, label, placeholder]) => (
          <Field key={name} label={label} fault={faultAt(error, `/${name}`)}>
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
      </div>
    </details>
  )
}

function OwnRange({ filters, error, onChange }: EventFilterBarProps): ReactElement | undefined {
  const zone = useZone()
  if (filters.range !== 'custom') return undefined
  const hint = zone === 'utc' ? 'In UTC.' : 'In the time of this browser.'
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:w-1/2">
      {(['from', 'to'] as const).map((name) => (
        <Field
          key={name}
          label={name === 'from' ? 'From' : 'To'}
          hint={hint}
          fault={faultAt(error, `/${name}`)}
        >
          {(ids) => (
            <TextInput
              {...ids}
              key={`${zone} ${filters[name]}`}
              type="datetime-local"
              step={1}
              defaultValue={inputTime(filters[name], zone)}
              onBlur={({ target }) => onChange({ [name]: timeOfInput(target.value, zone) })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                event.preventDefault()
                event.currentTarget.blur()
              }}
            />
          )}
        </Field>
      ))}
    </div>
  )
}
