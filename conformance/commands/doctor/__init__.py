"""What of an adapter works: a few small scenarios, and in plain words what they showed.

Knows how cases are run and reads their transcripts; must not know pytest, the corpus or any framework.
"""

from conformance.commands.doctor.check import Check, Status
from conformance.commands.doctor.examination import Report, examine

__all__ = ["Check", "Report", "Status", "examine"]
