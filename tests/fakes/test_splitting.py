from fakes.chunking import pieces

TEXT = "Oslo has seven degrees and some rain."


def test_given_pieces_stand_as_they_are_unless_another_split_is_asked_for():
    assert pieces("Oslo", "given", given=("O", "slo")) == ("O", "slo")
    assert pieces("Oslo", "whole", given=("O", "slo")) == ("Oslo",)


def test_a_text_without_pieces_of_its_own_is_cut_as_the_provider_cuts():
    assert pieces(TEXT, "given", size=5) == pieces(TEXT, "provider", size=5) != (TEXT,)
