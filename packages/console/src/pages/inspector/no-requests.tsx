import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Empty } from '../../design/states.tsx'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'
import type { FilterName } from './requests.ts'

interface NoRequestsProps {
  readonly hasFilter: boolean
  readonly destinations: readonly Destination[] | undefined
}

/** Why the list is empty, and the next step. */
export function NoRequests({ hasFilter, destinations }: NoRequestsProps): ReactElement {
  const [, setUrl] = useUrlState<FilterName>()
  if (hasFilter)
    return (
      <Empty
        title="No request matches the filters"
        action={
          <Button onClick={() => setUrl({ destination: undefined, delivery: undefined })}>
            Show all requests
          </Button>
        }
      >
        It may not have come yet, or newer requests took its place. A restart ends them all.
      </Empty>
    )
  const [first] = destinations ?? []
  if (first === undefined) return <NoDestination />
  return (
    <Empty
      title="Nothing has come yet"
      action={
        <Link
          to="/destinations/$id"
          params={{ id: first.id }}
          search={{ tab: 'test' }}
          className="text-accent underline"
        >
          Send a test to {shownText(first.name, 60)}
        </Link>
      }
    >
      Each request to the inspector appears here by itself: send an event to the source, or a test
      delivery.
    </Empty>
  )
}

function NoDestination(): ReactElement {
  const mayEdit = useMay('editor')
  return (
    <Empty
      title="No destination delivers to the inspector"
      action={
        mayEdit && (
          <Link to="/destinations" search={{ new: '1' }} className="text-accent underline">
            Create a destination
          </Link>
        )
      }
    >
      {mayEdit
        ? 'Create a destination with the built-in inspector, and its requests appear here.'
        : 'When a destination has its webhook URL, the requests appear here. Your role may not create one: ask an editor.'}
    </Empty>
  )
}
