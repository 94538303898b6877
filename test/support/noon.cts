const hours = 12 - new Date().getUTCHours();

/**
 * A time zone in which it is about noon: no day ends while the tests of a file run. The signs in these names are those of
 * POSIX: minus is east of Greenwich.
 */
export const NOON_ZONE = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
