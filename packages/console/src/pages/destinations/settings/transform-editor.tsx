import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import { errorAt, problemOf } from '../../../api/problem.ts'
import { Field, Select, TextArea } from '../../../design/controls/field.tsx'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { PayloadColumns } from '../../../domain/destinations/payload-columns.tsx'
import { payloadsOf, type TestResponse } from '../../../domain/destinations/tested-payloads.ts'
import { useZone } from '../../../format/time-zone.ts'
import { useDebounced } from '../../../shell/use-debounced.ts'
import { useRecentEvents } from '../recent-events.ts'
import { isBlank } from './routing-draft.ts'
import { payloadOf, payloadOptions, READY_MADE } from './transform-choices.ts'

type FilterPreview = Awaited<ReturnType<typeof api.previewFilter>>

interface TransformEditorProps extends DestinationProps {
  readonly expression: string
  readonly onChange: (expression: string) => void
  /** The error from saving. */
  readonly fieldError: string | undefined
  /** The newest events that the filter selects, offered first as payloads to try. */
  readonly selected: FilterPreview['selectedExamples'] | undefined
  /** Whether `fields` or `format` may differ from the saved ones, which the preview uses. */
  readonly isShapeEdited: boolean
}

/** Edits the transform, and shows the resulting body for a recent event or a sample. */
export function TransformEditor({
  destination,
  selected,
  expression,
  onChange,
  fieldError,
  isShapeEdited,
}: TransformEditorProps): ReactElement {
  const { options, isPending } = usePayloads(destination, selected)
  const [picked, setPicked] = useState('')
  // A picked event may have left the list.
  const [payload] = options.find(([value]) => value === picked) ?? options[0]!
  const { data, error } = usePreview({ destination, expression, payload, isPending })
  const invalid = errorAt(error, '/transform')
  return (
    <div className="flex flex-col gap-3">
      <Field label="Ready-made transform" className="max-w-full self-start">
        {(ids) => (
          <Select
            {...ids}
            value={READY_MADE.some(([value]) => value === expression) ? expression : ''}
            options={READY_MADE}
            onPick={onChange}
          />
        )}
      </Field>
      <Field
        label="Transform"
        hint='A JSONata expression that builds the body of each request from the payload. If it returns nothing, nothing is sent. Empty: the payload itself. Example: {"text": event & " by " & userId}'
        fieldError={invalid ?? fieldError}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={Math.min(24, Math.max(4, expression.split('\n').length + 1))}
            value={expression}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
      {!isBlank(expression) && (
        <>
          <Field
            label="Try the transform with"
            hint={
              isShapeEdited
                ? 'Uses the saved fields and format, not your unsaved changes.'
                : undefined
            }
            className="max-w-full self-start"
          >
            {(ids) => <Select {...ids} value={payload} options={options} onPick={setPicked} />}
          </Field>
          <div aria-live="polite">
            {invalid === undefined && <Preview data={data} error={error} />}
          </div>
        </>
      )}
    </div>
  )
}

interface PreviewProps {
  readonly data: TestResponse | null | undefined
  readonly error: Error | null
}

function Preview({ data, error }: PreviewProps): ReactElement | undefined {
  if (error !== null) return <p className="text-failed">{messageOf(error)}</p>
  return data == null ? (
    <p className="text-ink-soft">Evaluating…</p>
  ) : (
    <PayloadColumns payloads={payloadsOf(data)} />
  )
}

/** The selected events, or the newest events from the source, and samples. */
function usePayloads(
  { sourceId }: DestinationProps['destination'],
  selected: TransformEditorProps['selected'] = [],
) {
  const zone = useZone()
  const { recent, isPending } = useRecentEvents(sourceId)
  const events = selected.map(({ type, event, ...rest }) => ({
    ...rest,
    sourceId,
    event: { type, event },
  }))
  return { options: payloadOptions(events.length > 0 ? events : recent, zone), isPending }
}

interface PreviewOptions extends DestinationProps {
  readonly expression: string
  readonly payload: string
  /** Whether the payloads to choose from are still loading. */
  readonly isPending: boolean
}

/** Evaluates the expression shortly after each edit. */
function usePreview({ destination, expression, payload, isPending }: PreviewOptions) {
  const transform = useDebounced(isBlank(expression) ? '' : expression)
  const { id, version } = destination
  return useQuery({
    // The version, because the saved fields and format apply before the transform.
    queryKey: ['transform-preview', id, version, transform, payload],
    // `null` also replaces the previous result, which would otherwise be shown for the next transform.
    queryFn: ({ signal }) =>
      transform === ''
        ? null
        : api.testDestination(
            id,
            { ...payloadOf(payload), dryRun: true, transform },
            {},
            { signal },
          ),
    enabled: !isPending,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
}

/** The field errors with their hints, or the error message. */
function messageOf(error: unknown): string {
  const { message, errors } = problemOf(error)
  return errors.length > 0
    ? errors.map((each) => `${each.message} ${each.hint}`).join(' ')
    : message
}
