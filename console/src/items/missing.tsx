import { Link } from '@tanstack/react-router'
import { Notice } from '../components/notice.tsx'

/** A form needs an agent or a Brain, and there is none yet. */
export const Missing = ({ what }: { what: 'Brain' | 'agent' }) => (
  <Notice>
    <p>
      You have no {what} yet.{' '}
      {what === 'Brain' ? (
        <Link to="/brains">Create a Brain first.</Link>
      ) : (
        <Link to="/agents">Create an agent first.</Link>
      )}
    </p>
  </Notice>
)
