import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Event, Source } from '@hookline/cli/management-client'
import { Button } from '../../design/controls/button.tsx'
import { ErrorText } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { useCallsUrl } from '../../domain/calls-url.ts'
import { sendTestCall } from '../../domain/send-test-call.ts'
import { SnippetTabs } from '../../domain/snippets/snippet-tabs.tsx'
import { shownText } from '../../format/shown-text.ts'

interface SendStepProps {
  readonly source: Source | undefined
  readonly isReady: boolean
  readonly event: Event | undefined
}

export function SendStep({ source, isReady, event }: SendStepProps): ReactElement {
  const client = useQueryClient()
  const callsUrl = useCallsUrl()
  const writeKey = source?.writeKeys[0]?.key
  const send = useMutation({
    mutationFn: () => sendTestCall(callsUrl.url, writeKey!),
    onSuccess: () => client.invalidateQueries({ queryKey: ['events'] }),
  })
  if (writeKey === undefined || !isReady)
    return <p className="text-ink-faint">Send an event from here or from your code.</p>
  return (
    <>
      {event !== undefined && (
        <p>
          <Link to="/events/$id" params={{ id: event.id }} className="text-accent underline">
            {shownText(nameOf(event))}
          </Link>{' '}
          received <Time at={event.receivedAt} />.
        </p>
      )}
      {callsUrl.isHere && (
        <div>
          <Button
            variant={event === undefined ? 'primary' : 'plain'}
            isBusy={send.isPending}
            onClick={() => send.mutate()}
          >
            {event === undefined ? 'Send a test event' : 'Send another test event'}
          </Button>
        </div>
      )}
      <ErrorText error={send.error} />
      <details open={!callsUrl.isHere}>
        <summary className="text-accent">Send from your code</summary>
        <div className="pt-3">
          <SnippetTabs writeKey={writeKey} />
        </div>
      </details>
    </>
  )
}

function nameOf({ event }: Event): string {
  const { type, event: name } = event as { type: string; event?: string }
  return name === undefined ? type : `${type} “${name}”`
}
