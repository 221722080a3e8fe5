import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function GetStartedPage(): ReactElement {
  return <PageHeading title="Get started" />
}
