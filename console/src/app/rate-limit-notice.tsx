import { Countdown } from '../components/countdown.tsx'

/** Says that calls wait, and for how long. */
export const RateLimitNotice = ({ until }: { until: string }) => (
  <div className="rate-limit">
    <span role="status">Too many requests: the page goes on by itself.</span> <Countdown until={until} over="now" />
  </div>
)
