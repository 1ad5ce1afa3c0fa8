import { Link } from '@tanstack/react-router'
import { Notice } from '../components/notice.tsx'

type StagedNoticeProps = {
  handle: string
  /** The written item, such as "The record". */
  what: string
  change: string
}

/** The notice for a write that waits for a decision, with a link to its change. */
export const StagedNotice = ({ handle, what, change }: StagedNoticeProps) => (
  <div role="status">
    <Notice tone="good">
      <p>
        This Brain is in review mode. {what} waits for review.{' '}
        <Link to="/brains/$handle/changes/$id" params={{ handle, id: change }}>
          Open the change
        </Link>
      </p>
    </Notice>
  </div>
)
